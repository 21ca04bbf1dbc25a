import type {BootFormRow} from '../profile/boot-form.js';
import type {SparedRow} from '../profile/spared.js';
import type {WarmUpRow} from '../profile/warm-up-rows.js';
import type {StandbyState} from '../protocol/asks.js';
import type {SavingRow} from '../savings/report.js';
import {duration} from './duration.js';
import {count} from './failure.js';
import {standbyReport} from './standby.js';
import {table} from './table.js';

/** What `bootcut savings` says. */
export interface SavingsReport {
  readonly optimizations: readonly SavingRow[];
  /** Stored answers in the newest launches. */
  readonly lookups: {readonly launches: number; readonly steps: readonly SparedRow[]};
  /** Warm-ups in the same launches. */
  readonly warmUps: readonly WarmUpRow[];
  readonly standbys: readonly StandbyState[];
  /** What the boots of these launches took, by how they came by their VM. */
  readonly boots: readonly BootFormRow[];
}

/** `savings` as text. */
export const savingsText = ({optimizations, lookups, warmUps, standbys, boots}: SavingsReport): string =>
  [
    optimizations.length === 0
      ? 'No launch has had an optimization yet: they are for programs, such as bootcut run -- java -jar app.jar.'
      : optimizationTable(optimizations),
    ...optimizations.flatMap(advice),
    ...optimizations.flatMap(aheadLine),
    ...(lookups.steps.length === 0
      ? []
      : [
          `Stored answers in the newest ${count(lookups.launches, 'launch')} (what asking took when they were read; steps overlap):\n\n${sparedTable(lookups.steps)}`,
        ]),
    ...warmUps.map(warmUpLine),
    ...(standbys.length + boots.length === 0 ? [] : [`VMs kept booted:\n\n${standbyReport(standbys, boots)}`]),
  ].join('\n\n');

const optimizationTable = (rows: readonly SavingRow[]): string =>
  table(
    [
      {head: 'optimization', align: 'left'},
      {head: 'for', align: 'left'},
      {head: 'state', align: 'left'},
      {head: 'saves', align: 'right'},
      {head: '95 %', align: 'left'},
      {head: 'pairs', align: 'right'},
      {head: 'launches', align: 'right'},
      {head: 'altogether', align: 'right'},
      {head: 'disk', align: 'right'},
      {head: 'preparing', align: 'right'},
    ],
    rows.map((row) => [
      row.name,
      row.label,
      stateWords(row),
      row.saved === null ? '–' : `${duration(row.saved)}${percent(row.share)}`,
      row.interval === null ? '–' : `${duration(row.interval.low)} to ${duration(row.interval.high)}`,
      String(row.pairs),
      `${row.used} of ${row.used + row.heldBack}`,
      row.savedAltogether === null ? '–' : duration(row.savedAltogether),
      row.preparation.bytes === null ? '–' : megabytes(row.preparation.bytes),
      row.preparation.times === 0 ? '–' : duration(row.preparation.processor ?? row.preparation.took),
    ]),
  );

const percent = (share: number | null): string => (share === null ? '' : ` (${(share * 100).toFixed(1)} %)`);

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** How an optimization stands, in words. */
export const stateWords = ({wanted, standing, preparation, nextLook, pairs}: SavingRow): string => {
  if (wanted !== 'auto') return `${wanted}, by you`;
  switch (standing) {
    case 'pays':
      return 'pays';
    case 'slower':
      return 'off: slower';
    case 'no gain':
      return 'off: no gain';
    case 'trial':
      if (pairs === 0 && preparation.failure !== null) return 'not prepared';
      return nextLook === null ? 'trial' : `trial, looks at ${nextLook} pairs`;
  }
};

const advice = (row: SavingRow): readonly string[] => {
  const name = `${row.name} for ${row.label}`;
  if (row.preparation.failure !== null) return [`${name} could not be prepared: ${row.preparation.failure}.`];
  if (row.wanted !== 'auto' || row.on) return [];
  return [
    `${name} was switched off: ${row.standing === 'slower' ? 'launches were slower with it' : 'no gain worth having came out'}. Try it anew with 'bootcut savings reset ${row.name}'.`,
  ];
};

/** How often a launch was expected, and what was done ahead of it. */
const aheadLine = ({name, label, ahead}: SavingRow): readonly string[] => {
  if (ahead.expected === 0) return [];
  return [
    `${name} for ${label} was warmed up ahead of ${count(ahead.expected, 'expected launch')}, ${ahead.came} of which came${countWords(ahead.counts)}.`,
  ];
};

const warmUpLine = ({name, launches, counts}: WarmUpRow): string =>
  `${name} warmed up in ${count(launches, 'launch')} of the newest${countWords(counts)}.`;

const countWords = (counts: Readonly<Record<string, number>>): string => {
  const words = Object.entries(counts).map(([what, number]) => `${what} ${number}`);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
};

const sparedTable = (steps: readonly SparedRow[]): string =>
  table(
    [
      {head: 'step', align: 'left'},
      {head: 'launches', align: 'right'},
      {head: 'spared', align: 'right'},
    ],
    steps.map(({step, launches, spared}) => [step, String(launches), duration(spared)]),
  );
