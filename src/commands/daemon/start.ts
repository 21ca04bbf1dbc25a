import {BaseCommand} from '../../base-command.js';
import {ensureDaemon, type RunningDaemon} from '../../client/ensure-daemon.js';
import {daemonStartedView} from '../../views/daemon.js';

export default class DaemonStart extends BaseCommand {
  static override summary = 'Start the daemon, and return when it is ready.';
  static override description =
    'A daemon that runs already is left as it is, unless it is of an older build and follows no launch: then it is replaced. Launches start the daemon by themselves; this is for having it ready beforehand.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<RunningDaemon> {
    await this.parse(DaemonStart);
    const running = this.unwrap(await ensureDaemon(this.directories));
    this.log(daemonStartedView(running));
    return running;
  }
}
