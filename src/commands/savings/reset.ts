import type {SavingRow} from '../../savings/report.js';
import {accountArgs, accountFlags, SavingsCommand} from '../../savings-command.js';
import {count} from '../../views/failure.js';

export default class SavingsReset extends SavingsCommand {
  static override summary = 'Try an optimization anew: forget what was measured of it.';
  static override description = 'What is prepared stays. Switches go back to auto.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> jvm-archive',
    '<%= config.bin %> <%= command.id %> jvm-archive/classes --for editor.jar',
  ];
  static override args = accountArgs;
  static override flags = accountFlags;

  async run(): Promise<{readonly reset: readonly SavingRow[]}> {
    const {args, flags} = await this.parse(SavingsReset);
    const ledger = await this.openLedger();
    const rows = this.named(ledger, args.optimization, flags.for);
    for (const {subject} of rows) ledger.reset(subject);
    this.print(`On trial again: ${args.optimization} for ${count(rows.length, 'program')}.`);
    return {reset: this.named(ledger, args.optimization, flags.for)};
  }
}
