import * as Flags from '@oclif/core/flags';
import {type BenchLine, benchLine} from '../../bench/bench-line.js';
import {BenchCommand} from '../../bench-command.js';
import {benchListText} from '../../views/bench-list.js';

export default class BenchList extends BenchCommand {
  static override summary = 'List the benches on record, newest first.';
  static override description =
    'Also those that were interrupted, that showed no difference, and that were tried and dropped: what did not help is worth knowing the next time.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --last 50 --json',
  ];
  static override flags = {
    last: Flags.integer({default: 20, min: 1, helpValue: 'N', description: 'show this many'}),
  };

  async run(): Promise<{readonly benches: readonly BenchLine[]}> {
    const {flags} = await this.parse(BenchList);
    const benches = this.store.newest(flags.last).map(benchLine);
    this.log(benchListText(benches));
    return {benches};
  }
}
