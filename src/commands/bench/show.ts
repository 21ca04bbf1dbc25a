import * as Args from '@oclif/core/args';
import type {BenchReport} from '../../bench/report.js';
import {BenchCommand} from '../../bench-command.js';
import {benchText} from '../../views/bench-report.js';

export default class BenchShow extends BenchCommand {
  static override summary = 'Show a bench again.';
  static override description =
    'Works from what is kept of it: every run with every milestone. The figures and verdicts are the same as when it ended, as its seed is kept too. With --json, the report with all runs.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> 3f9a12 --json',
  ];
  static override args = {
    bench: Args.string({description: "a bench's id or the end of it, or its title; default: the newest"}),
  };

  async run(): Promise<BenchReport> {
    const {args} = await this.parse(BenchShow);
    const report = this.reportOf(this.unwrap(this.store.find(args.bench)));
    this.log(benchText(report));
    return report;
  }
}
