import {join} from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {ProfileCommand} from './profile-command.js';
import {Ledger} from './savings/ledger.js';
import {type SavingRow, savingRows} from './savings/report.js';

/** What the commands that change accounts of the ledger take. */
export const accountArgs = {
  optimization: Args.string({required: true, description: 'plugin/name, or the plugin.'}),
};
export const accountFlags = {
  for: Flags.string({
    helpValue: 'LABEL',
    description: "Only the one for this program: the column 'for' of savings.",
  }),
};

/** What the commands about the ledger share. */
export abstract class SavingsCommand extends ProfileCommand {
  // Said again: oclif looks through the classes above a command only as far as each has something of its own to say.
  static override enableJsonFlag = true;

  /** The ledger of the state directory, with every launch that has ended by now. */
  async openLedger(): Promise<Ledger> {
    return new Ledger(join(await this.settledState(), 'savings'));
  }

  /** The rows that are named; fails where there is none. */
  named(ledger: Ledger, optimization: string, label: string | undefined): readonly SavingRow[] {
    const rows = savingRows(ledger.accounts());
    const found = rows.filter(
      (row) =>
        (row.name === optimization || row.name.startsWith(`${optimization}/`)) &&
        (label === undefined || row.label === label),
    );
    if (found.length > 0) return found;
    const known = [...new Set(rows.map(({name}) => name))];
    return this.fail({
      reason: 'unknown-optimization',
      optimization: label === undefined ? optimization : `${optimization} for ${label}`,
      known,
    });
  }
}
