import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../../base-command.js';
import {dropStandbys} from '../../client/standby.js';
import {standbysDropped} from '../../views/standby.js';

export default class StandbyDrop extends BaseCommand {
  static override summary = 'End the VMs that the daemon keeps booted.';
  static override description =
    "A VM that a launch has taken is that launch's and goes on. 'bootcut config set standby false' keeps new ones from being booted.";
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --place ~/src/project',
  ];
  static override flags = {
    place: Flags.directory({description: 'only those of this project', helpValue: 'DIRECTORY'}),
  };

  async run(): Promise<{readonly dropped: number}> {
    const {flags} = await this.parse(StandbyDrop);
    const dropped = this.unwrap(await dropStandbys(this.directories, flags.place));
    this.log(standbysDropped(dropped.dropped));
    return dropped;
  }
}
