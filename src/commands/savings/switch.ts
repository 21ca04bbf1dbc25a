import * as Args from '@oclif/core/args';
import type {SavingRow} from '../../savings/report.js';
import {accountArgs, accountFlags, SavingsCommand} from '../../savings-command.js';
import {count} from '../../views/failure.js';

export default class SavingsSwitch extends SavingsCommand {
  static override summary =
    'Switch an optimization on or off, whatever the ledger says, or let the ledger decide again.';
  static override description =
    'For programs that have been launched with it. To have none at all: config set optimizations false.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> jvm-archive off',
    '<%= config.bin %> <%= command.id %> jvm-archive/classes auto --for editor.jar',
  ];
  static override args = {
    ...accountArgs,
    to: Args.string({required: true, options: ['on', 'off', 'auto'], description: 'auto: as measured.'}),
  };
  static override flags = accountFlags;

  async run(): Promise<{readonly switched: readonly SavingRow[]}> {
    const {args, flags} = await this.parse(SavingsSwitch);
    const to = args.to as 'on' | 'off' | 'auto';
    const ledger = await this.openLedger();
    const rows = this.named(ledger, args.optimization, flags.for);
    for (const {subject} of rows) ledger.switch(subject, to, Date.now());
    this.print(`Switched to ${to}: ${args.optimization} for ${count(rows.length, 'program')}.`);
    return {switched: this.named(ledger, args.optimization, flags.for)};
  }
}
