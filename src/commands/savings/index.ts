import * as Flags from '@oclif/core/flags';
import {listStandbys} from '../../client/standby.js';
import {bootForms} from '../../profile/boot-form.js';
import {sparedBySteps} from '../../profile/spared.js';
import {warmUpRows} from '../../profile/warm-up-rows.js';
import {savingRows} from '../../savings/report.js';
import {SavingsCommand} from '../../savings-command.js';
import {type SavingsReport, savingsText} from '../../views/savings.js';

export default class Savings extends SavingsCommand {
  static override summary = 'Show what each optimization saves, as measured, and what it costs.';
  static override description =
    'A new optimization is on trial: launches of its program come in blocks of two, one with and one without it, and each ' +
    'pair is compared, from the start of the target to its end with status 0 or, with --until, to when it was ready. The ' +
    'ledger looks after 8, 16, 32 and 64 pairs: what is faster beyond chance stays on, what is slower or has no gain of 2 % ' +
    'is switched off. Later one launch in 20 (setting holdback) goes without, so that the figure stays true. preparing is ' +
    'processor time spent behind launches. Leave one out of a launch with --without, all with --no-optimizations.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
    {description: 'Never without it', command: '<%= config.bin %> <%= command.id %> switch jvm-archive on'},
  ];
  static override flags = {
    last: Flags.integer({
      description: 'Look for stored answers in this many of the newest launches.',
      default: 1000,
      min: 1,
      helpValue: 'N',
    }),
  };

  async run(): Promise<SavingsReport> {
    const {flags} = await this.parse(Savings);
    const records = (await this.openRecords()).newest(flags.last);
    const standbys = await listStandbys(this.directories);
    const report: SavingsReport = {
      optimizations: savingRows((await this.openLedger()).accounts()),
      lookups: {launches: records.length, steps: sparedBySteps(records)},
      warmUps: warmUpRows(records),
      standbys: standbys.ok ? standbys.value : [],
      boots: bootForms(records),
    };
    this.print(savingsText(report));
    return report;
  }
}
