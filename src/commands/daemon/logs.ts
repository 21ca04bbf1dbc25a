import {join} from 'node:path';
import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../../base-command.js';
import {followLog, type LogEvent, readLog} from '../../client/read-log.js';
import {logEventView} from '../../views/log-event.js';

export default class DaemonLogs extends BaseCommand {
  static override summary = "Show the daemon's log.";
  static override description =
    'Newest events last. Never starts the daemon; the log stays readable when it has ended.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --lines 200',
    '<%= config.bin %> <%= command.id %> --follow',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override flags = {
    follow: Flags.boolean({char: 'f', default: false, description: 'go on with what is written from now on'}),
    lines: Flags.integer({char: 'n', default: 50, min: 0, description: 'how many events'}),
  };

  async run(): Promise<readonly LogEvent[]> {
    const {flags} = await this.parse(DaemonLogs);
    const {state, complaint} = this.directories;
    if (state === undefined) return this.fail({reason: 'no-state-directory', complaint: complaint ?? ''});
    if (flags.follow && this.jsonEnabled())
      return this.fail({reason: 'bad-argument', detail: '--follow never ends, so it cannot give one JSON document'});
    const path = join(state, 'log', 'daemon.log');
    const tell = (event: LogEvent): void => this.log(logEventView(event));
    const following = flags.follow ? followLog(path, tell, new AbortController().signal) : undefined;
    const events = readLog(path, flags.lines);
    for (const event of events) tell(event);
    await following;
    return events;
  }
}
