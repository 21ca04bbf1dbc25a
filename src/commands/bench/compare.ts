import * as Args from '@oclif/core/args';
import {type BenchComparison, compareBenches} from '../../bench/compare-benches.js';
import {BenchCommand} from '../../bench-command.js';
import {benchComparisonText} from '../../views/bench-comparison.js';

export default class BenchCompare extends BenchCommand {
  static override summary = 'Set two benches of one host beside each other.';
  static override description =
    'Shows medians and ranges of variants that bear one name in both, and how much the base itself has moved. There is no verdict: two benches did not alternate, and what the host did in between is in the difference. Where the base moved by more than 5 %, only the ratios to it mean anything. Benches of two hosts are refused.';
  static override examples = ['<%= config.bin %> <%= command.id %> 3f9a12 77c0de'];
  static override args = {
    before: Args.string({required: true, description: 'the earlier bench'}),
    after: Args.string({required: true, description: 'the later bench'}),
  };

  async run(): Promise<BenchComparison> {
    const {args} = await this.parse(BenchCompare);
    const [before, after] = [this.unwrap(this.store.find(args.before)), this.unwrap(this.store.find(args.after))];
    const comparison = this.unwrap(compareBenches(before, after));
    this.log(benchComparisonText(comparison));
    return comparison;
  }
}
