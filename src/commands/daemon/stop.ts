import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../../base-command.js';
import {type Stopped, stopDaemon} from '../../client/stop-daemon.js';
import {daemonStoppedView} from '../../views/daemon.js';

export default class DaemonStop extends BaseCommand {
  static override summary = 'Stop the daemon, and return when it has ended.';
  static override description =
    'Works on any daemon of yours, of whatever version and in whatever state: one that does not answer is ended by signal. A daemon that is not running counts as stopped. A daemon that follows launches is left alone unless you force it.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --force'];
  static override flags = {
    force: Flags.boolean({
      default: false,
      description: "stop it although launches are running: they go on, their records say 'lost'",
    }),
  };

  async run(): Promise<Stopped> {
    const {flags} = await this.parse(DaemonStop);
    const stopped = this.unwrap(await stopDaemon(this.directories, flags.force));
    this.log(daemonStoppedView(stopped));
    return stopped;
  }
}
