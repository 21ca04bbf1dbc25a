import {BaseCommand} from '../../base-command.js';
import {startStandby} from '../../client/standby.js';
import {launchFlags, launchFlagTokens} from '../../launch-flags.js';
import {sayWhenLong} from '../../views/progress.js';
import {standbyStarted} from '../../views/standby.js';

export default class StandbyStart extends BaseCommand {
  static override summary = 'Boot a VM now for the next launch from here.';
  static override description =
    'Returns when it is ready. The next launch of the same runtime in this project, with the same flags, takes it. Where the setting standby.memory has no room for one that waits, it is saved to disk, and the next launch is restored from it. A shell can do this at every change of directory: see the README. Programs that were launched from here are expected too: what warms up ahead of them does so. Starts the daemon if need be.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --runtime qemu',
    '<%= config.bin %> <%= command.id %> --runtime qemu -- --memory 2G',
  ];
  static override flags = launchFlags;
  static override usage = 'standby start [FLAGS] [-- FLAGS OF THE RUNTIME…]';

  async run(): Promise<{readonly place: string; readonly form: 'paused' | 'saved'}> {
    const dashes = this.argv.indexOf('--');
    const [before, tool] = dashes < 0 ? [this.argv, []] : [this.argv.slice(0, dashes), this.argv.slice(dashes + 1)];
    const {flags} = await this.parse(StandbyStart, before);
    const quiet = sayWhenLong('Booting a VM');
    const started = await startStandby(this.directories, ['shell', ...launchFlagTokens(flags), ...tool]);
    quiet();
    const standby = this.unwrap(started);
    this.log(standbyStarted(standby));
    return standby;
  }
}
