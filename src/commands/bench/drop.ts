import * as Args from '@oclif/core/args';
import type {BenchResult} from '../../bench/result.js';
import {BenchCommand} from '../../bench-command.js';

export default class BenchDrop extends BenchCommand {
  static override summary = 'Note that what a bench tried is not taken up, and why.';
  static override description =
    "Deletes nothing: the bench stays on record with its figures, and 'bench list' shows it as tried and dropped.";
  static override examples = [
    '<%= config.bin %> <%= command.id %> 3f9a12 "preconnecting: 4201 against 4212 ms, no difference"',
  ];
  static override args = {
    bench: Args.string({required: true, description: "a bench's id or the end of it, or its title"}),
    why: Args.string({required: true, description: 'the reason, for whoever has the same idea next year'}),
  };

  async run(): Promise<Pick<BenchResult, 'id' | 'dropped'>> {
    const {args} = await this.parse(BenchDrop);
    const result = this.unwrap(this.store.find(args.bench));
    const dropped = {at: new Date().toISOString(), why: args.why};
    this.store.save({...result, dropped});
    this.log(`${result.id} is on record as tried and dropped.`);
    return {id: result.id, dropped};
  }
}
