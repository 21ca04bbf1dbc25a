import {BaseCommand} from '../../base-command.js';
import {readDaemonStatus} from '../../client/daemon-status.js';
import type {DaemonStatus as Status} from '../../protocol/asks.js';
import {daemonStatusView} from '../../views/daemon.js';

export default class DaemonStatus extends BaseCommand {
  static override summary = 'Show whether the daemon runs and what it does.';
  static override description = 'Never starts the daemon. Exit status 0 when it runs and answers, 1 otherwise.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<Status> {
    await this.parse(DaemonStatus);
    const status = this.unwrap(await readDaemonStatus(this.directories));
    this.log(daemonStatusView(status));
    return status;
  }
}
