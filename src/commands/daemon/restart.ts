import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../../base-command.js';
import {ensureDaemon, type RunningDaemon} from '../../client/ensure-daemon.js';
import {type Stopped, stopDaemon} from '../../client/stop-daemon.js';
import {daemonStartedView, daemonStoppedView} from '../../views/daemon.js';

export default class DaemonRestart extends BaseCommand {
  static override summary = 'Stop the daemon and start a new one.';
  static override description = 'Starts one too if none was running. What launches do meanwhile, they do without it.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --force'];
  static override flags = {
    force: Flags.boolean({
      default: false,
      description: "stop it although launches are running: they go on, their records say 'lost'",
    }),
  };

  async run(): Promise<{readonly stopped: Stopped; readonly running: RunningDaemon}> {
    const {flags} = await this.parse(DaemonRestart);
    const stopped = this.unwrap(await stopDaemon(this.directories, flags.force));
    this.log(daemonStoppedView(stopped));
    const running = this.unwrap(await ensureDaemon(this.directories));
    this.log(daemonStartedView(running));
    return {stopped, running};
  }
}
