import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {type Blame, blameOf} from '../../profile/blame.js';
import {ProfileCommand, selectLaunches, whereFlag} from '../../profile-command.js';
import {blameText} from '../../views/profile-blame.js';

export default class ProfileBlame extends ProfileCommand {
  static override summary = "Show whose work, and whose waiting, a launch's time was.";
  static override description =
    'For each phase: its own work and the time it was held for steps. For each step: how long it ran; how much of that ' +
    'lies in parts its plugin timed (own work) and how much does not (waiting); for how long the launch was held for ' +
    'it, alone or with others, and how much went on beside other work. With --last, medians over the launches in which a ' +
    'step took part.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'Over the newest 50 cold launches',
      command: '<%= config.bin %> <%= command.id %> --where temperature=cold --last 50',
    },
    '<%= config.bin %> <%= command.id %> 3KXVP7 --json',
  ];
  static override args = {
    launch: Args.string({description: "A launch's id, or the end of it; without: the one that ended last."}),
  };
  static override flags = {
    last: Flags.integer({description: 'Look at this many of the newest launches.', min: 1, helpValue: 'N'}),
    where: whereFlag,
  };

  async run(): Promise<Blame> {
    const {args, flags} = await this.parse(ProfileBlame);
    const filter = this.filterOf(flags.where);
    const picked = this.unwrap(
      selectLaunches(await this.openRecords(), {launch: args.launch, last: flags.last, filter}),
    );
    const blame = blameOf(picked);
    this.print(blameText(blame));
    return blame;
  }
}
