import {connectionAhead, type LaunchRecord, lookUpConnections} from '../model/record.js';
import {countsOf} from './counts.js';

/** What the warm-ups of one optimization have done. */
export interface WarmUpRow {
  /** `plugin/name`. */
  readonly name: string;
  /** Launches of which it is known. */
  readonly launches: number;
  /** How many of them were expected, and had it ahead. */
  readonly ahead: number;
  /** Summed up by the warm-up's own names: bytes `read`, connections `connected` and `used`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** By optimization, in the order of their names. */
export const warmUpRows = (records: readonly LaunchRecord[]): readonly WarmUpRow[] => {
  const rows = new Map<string, WarmUpRow>();
  for (const {name, said, ahead} of records.flatMap(({optimizations}) => optimizations ?? [])) {
    if (said === undefined) continue;
    const row = rows.get(name) ?? {name, launches: 0, ahead: 0, counts: {}};
    const counts = {...row.counts};
    for (const [what, number] of Object.entries(countsOf(said))) counts[what] = (counts[what] ?? 0) + number;
    rows.set(name, {name, launches: row.launches + 1, ahead: row.ahead + (ahead === undefined ? 0 : 1), counts});
  }
  return [...rows.values(), ...lookUpRow(records)].sort((one, other) => (one.name < other.name ? -1 : 1));
};

/** Connections that look-ups found made: they are no optimization of a launch, so the look-ups' own spans tell of them. */
const lookUpRow = (records: readonly LaunchRecord[]): readonly WarmUpRow[] => {
  const used = records.map(
    ({steps}) => steps.flatMap(({spans}) => spans).filter(({name}) => name === connectionAhead).length,
  );
  const launches = used.filter((count) => count > 0).length;
  if (launches === 0) return [];
  const ahead = records.filter(({spans}) => spans.some(({name}) => name === `warm-up ${lookUpConnections}`)).length;
  return [{name: lookUpConnections, launches, ahead, counts: {used: used.reduce((sum, count) => sum + count, 0)}}];
};
