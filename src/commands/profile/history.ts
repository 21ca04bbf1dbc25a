import * as Flags from '@oclif/core/flags';
import {wasRun} from '../../profile/compare-rows.js';
import {historyOf} from '../../profile/launch-history.js';
import {type MetricName, metricNames} from '../../profile/launch-row.js';
import {filterWords, groupFilter, ProfileCommand, whereFlag} from '../../profile-command.js';
import {type HistoryJson, historyText} from '../../views/profile-history.js';

/** What of a launch is ours and the runtime's; `run` and `total` are as long as the user's command. */
const usual: readonly MetricName[] = ['ready', 'client', 'pre-boot', 'boot', 'teardown'];

export default class ProfileHistory extends ProfileCommand {
  static override summary = 'Show how launches of one kind went over time, and since when they go otherwise.';
  static override description =
    'Without --where: launches of the same verb, target, runtime and temperature as the one that ended last. A change is ' +
    "a place where the times before and behind differ in rank beyond chance: Mann and Whitney's test at every place, " +
    'corrected for their number (1 false alarm in 1,000 histories), at least 5 % and 1 ms, at least 5 launches on each ' +
    "side; a new level shows after 8 to 11 launches. Where the runtime's version or bootcut's build changes within 3 " +
    'launches of it, the change is named after that, which does not prove that it is the cause. Launches that never ' +
    'started or were lost are left out. Whole records are kept for 64 MiB and 90 days, the rows of this history for ' +
    '131,072 launches and 400 days.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'One phase over the newest 5,000 launches of a VM, warm',
      command: '<%= config.bin %> <%= command.id %> --phase boot --last 5000 --where runtime=agent-vm,temperature=warm',
    },
    {description: 'For a program', command: '<%= config.bin %> <%= command.id %> --json'},
  ];
  static override flags = {
    last: Flags.integer({
      description: 'Look at this many of the newest that fit.',
      min: 1,
      default: 500,
      helpValue: 'N',
    }),
    phase: Flags.string({
      description: 'Only this one.',
      options: [...metricNames],
      multiple: true,
      multipleNonGreedy: true,
    }),
    where: whereFlag,
  };

  async run(): Promise<HistoryJson> {
    const {flags} = await this.parse(ProfileHistory);
    const log = await this.openRecords();
    const filter = this.unwrap(groupFilter(log, this.filterOf(flags.where)));
    const fitting = log.rows(filter, flags.last + 1);
    const picked = fitting.slice(0, flags.last);
    if (picked.length === 0) return this.fail({reason: 'no-such-launches', filter: filterWords(filter)});
    const rows = picked.filter(wasRun).reverse();
    const wanted = (flags.phase ?? usual) as readonly MetricName[];
    const history: HistoryJson = {
      filter: {...filter},
      onRecord: log.count,
      launches: rows.length,
      leftOut: picked.length - rows.length,
      more: fitting.length > picked.length,
      metrics: wanted.map((metric) => historyOf(rows, metric)),
    };
    this.print(historyText(history));
    return history;
  }
}
