import type {Account} from './account.js';
import {isOn} from './account.js';
import type {Endpoint, Standing} from './entry.js';
import {looks, type Saving, savingOf} from './judgement.js';

/** What preparing has cost, over all times. */
export interface PreparationCost {
  readonly times: number;
  /** Milliseconds from begin to end. */
  readonly took: number;
  /** Processor time in milliseconds; null where the system does not tell. */
  readonly processor: number | null;
  /** Bytes that are kept on disk; null before the first. */
  readonly bytes: number | null;
  /** Why the last one did not work. */
  readonly failure: string | null;
}

/** What was warmed up ahead of launches that were expected. */
export interface AheadCost {
  /** Launches that were expected, each with a wake-up of the daemon and a warm-up. */
  readonly expected: number;
  /** How many of them came. */
  readonly came: number;
  /** What the warm-ups have done altogether, by their own names: `files`, bytes `asked` and `read`, `connected`, `used`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One optimization for one subject, as `bootcut savings` shows it. */
export interface SavingRow extends Saving {
  readonly name: string;
  readonly subject: string;
  readonly label: string;
  readonly standing: Standing;
  /** What a person wants of it. */
  readonly wanted: 'on' | 'off' | 'auto';
  readonly on: boolean;
  /** What launches are timed to. */
  readonly endpoint: Endpoint;
  readonly used: number;
  readonly heldBack: number;
  /** Milliseconds that all launches with it were spared by the estimate; null without one. */
  readonly savedAltogether: number | null;
  /** Pairs at which the ledger looks next; null when a trial is over. */
  readonly nextLook: number | null;
  readonly preparation: PreparationCost;
  readonly ahead: AheadCost;
}

/** Accounts as rows, the one that saves most first. */
export const savingRows = (
  accounts: readonly {readonly digest: string; readonly account: Account}[],
): readonly SavingRow[] =>
  accounts
    .map(({digest, account}) => savingRow(digest, account))
    .sort((one, other) => (other.savedAltogether ?? 0) - (one.savedAltogether ?? 0) || compare(one.name, other.name));

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const savingRow = (digest: string, account: Account): SavingRow => {
  const {rounds, endpoint} = account.pairs;
  const saving = savingOf(rounds);
  const used = account.launches.filter(({arm}) => arm === 'used').length;
  return {
    ...saving,
    name: account.name,
    subject: digest,
    label: account.label,
    standing: account.standing,
    wanted: account.wanted,
    on: isOn(account),
    endpoint,
    used,
    heldBack: account.launches.length - used,
    savedAltogether: saving.saved === null ? null : saving.saved * used,
    nextLook: account.standing === 'trial' ? (looks.find((look) => look > rounds.length) ?? null) : null,
    preparation: preparationCost(account),
    ahead: aheadCost(account),
  };
};

const aheadCost = ({expected}: Account): AheadCost => {
  const counts: Record<string, number> = {};
  for (const entry of expected) {
    for (const [name, number] of Object.entries(entry.counts)) counts[name] = (counts[name] ?? 0) + number;
  }
  return {expected: expected.length, came: expected.filter(({came}) => came).length, counts};
};

const preparationCost = ({preparations}: Account): PreparationCost => {
  const processors = preparations.flatMap(({processor}) => processor ?? []);
  return {
    times: preparations.length,
    took: sum(preparations.map(({took}) => took)),
    processor: processors.length === 0 ? null : sum(processors),
    bytes: preparations.findLast(({bytes}) => bytes !== undefined)?.bytes ?? null,
    failure: preparations.at(-1)?.failure ?? null,
  };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
