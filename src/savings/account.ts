import type {ExpectedEntry, LaunchEntry, LedgerEntry, PreparationEntry, Standing} from './entry.js';
import {type Pairs, pairsOf} from './pairs.js';

/** What the ledger holds on one optimization for one subject. */
export interface Account {
  /** `plugin/name`. */
  readonly name: string;
  readonly label: string;
  /** Which preparation it is about; empty before there was one. */
  readonly prepared: string;
  readonly launches: readonly LaunchEntry[];
  readonly pairs: Pairs;
  /** Of all times, not of this preparation alone: what it has cost. */
  readonly preparations: readonly PreparationEntry[];
  /** Warm-ups ahead of launches, of all times. */
  readonly expected: readonly ExpectedEntry[];
  readonly standing: Standing;
  /** When that was found. */
  readonly standingSince: number | undefined;
  /** What a person wants of it. */
  readonly wanted: 'on' | 'off' | 'auto';
}

/** The account out of a ledger's lines; undefined where no line says what it is about. */
export const accountOf = (entries: readonly LedgerEntry[]): Account | undefined => {
  const begin = entries.findLastIndex(({kind}) => kind === 'about');
  const about = entries[begin];
  if (about?.kind !== 'about') return undefined;
  const since = entries.slice(begin + 1);
  const launches = since.filter((entry) => entry.kind === 'launch');
  const last = since.findLast((entry) => entry.kind === 'standing');
  return {
    name: about.name,
    label: about.label,
    prepared: about.prepared,
    launches,
    pairs: pairsOf(launches),
    preparations: entries.filter((entry) => entry.kind === 'preparation'),
    expected: entries.filter((entry) => entry.kind === 'expected'),
    standing: last?.standing ?? 'trial',
    standingSince: last?.at,
    wanted: entries.findLast((entry) => entry.kind === 'switch')?.to ?? 'auto',
  };
};

/** Is it in use for launches of this subject, as far as the ledger decides? */
export const isOn = ({wanted, standing}: Pick<Account, 'wanted' | 'standing'>): boolean =>
  wanted === 'auto' ? standing === 'trial' || standing === 'pays' : wanted === 'on';
