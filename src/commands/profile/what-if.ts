import * as Flags from '@oclif/core/flags';
import {type Assumption, assumable, isAssumable, parseAssumption, type WhatIf, whatIf} from '../../profile/what-if.js';
import {ProfileCommand, selectLaunches, whereFlag} from '../../profile-command.js';
import {whatIfText} from '../../views/profile-what-if.js';

/** `profile what-if --json`. */
export interface WhatIfJson {
  readonly launches: readonly WhatIf[];
}

export default class ProfileWhatIf extends ProfileCommand {
  static override summary = 'Work out when a launch would have been ready if a step or phase took another time.';
  static override description =
    'STEP=0 for a step that costs nothing, STEP=250 for one that takes 250 ms, STEP=+50 and STEP=-20 for more and less; ' +
    'also client, pre-boot and boot. A step is named as profile shows it, or without its plugin. Steps keep their ' +
    'starts, the launch is held until the last needed one ends, and what comes behind moves along. Without an ' +
    'assumption: what each step is worth, and by how much it may grow unnoticed. What it cannot know: what a busy machine ' +
    'does with the time, and the budget that would end a longer wait. Exit status 1 when no launch had the step.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> git-identity/github=0',
    {
      description: 'Over the newest 20 cold launches',
      command: '<%= config.bin %> <%= command.id %> github=0 version=+50 --where temperature=cold --last 20',
    },
    '<%= config.bin %> <%= command.id %> boot=-300 --launch 3KXVP7 --json',
  ];
  static override strict = false;
  static override usage = 'profile what-if [STEP=MS…] [FLAGS]';
  static override flags = {
    last: Flags.integer({description: 'Look at this many of the newest launches.', min: 1, helpValue: 'N'}),
    launch: Flags.string({
      description: "A launch's id, or the end of it; without: the one that ended last.",
      helpValue: 'ID',
    }),
    where: whereFlag,
  };

  async run(): Promise<WhatIfJson> {
    const {argv, flags} = await this.parse(ProfileWhatIf);
    const texts = argv as readonly string[];
    const assumptions = texts.map((text) => this.assumption(text));
    const filter = this.filterOf(flags.where);
    const picked = this.unwrap(
      selectLaunches(await this.openRecords(), {launch: flags.launch, last: flags.last, filter}),
    );
    for (const {name} of assumptions) {
      if (picked.some((record) => isAssumable(record, name))) continue;
      const known = [...new Set(picked.flatMap(assumable))];
      return this.fail({reason: 'unknown-step', step: name, known});
    }
    const having = picked.filter((record) => assumptions.every(({name}) => isAssumable(record, name)));
    const launches = having.map((record) => whatIf(record, assumptions));
    if (launches.length === 0) {
      return this.fail({reason: 'bad-argument', detail: 'No launch had all of these steps.'});
    }
    this.print(whatIfText(launches, texts));
    return {launches};
  }

  private assumption(text: string): Assumption {
    const parsed = parseAssumption(text);
    return parsed.ok ? parsed.value : this.fail({reason: 'bad-argument', detail: parsed.detail});
  }
}
