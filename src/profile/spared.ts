import type {LaunchRecord} from '../model/record.js';

/** What stored answers of one step have spared launches. */
export interface SparedRow {
  readonly step: string;
  /** Launches that used a stored answer. */
  readonly launches: number;
  /** Milliseconds: what asking took when those answers were read. Not measured again, and steps overlap one another. */
  readonly spared: number;
}

/** By step, the largest first. Checks are left out: nobody would have waited for them. */
export const sparedBySteps = (records: readonly LaunchRecord[]): readonly SparedRow[] => {
  const rows = new Map<string, {launches: number; spared: number}>();
  for (const {steps} of records) {
    for (const {step, kind, state, cost} of steps) {
      if (kind !== 'lookup' || (state !== 'fresh' && state !== 'stale')) continue;
      const name = step.replace(/\[.*\]$/, '');
      const row = rows.get(name) ?? {launches: 0, spared: 0};
      rows.set(name, {launches: row.launches + 1, spared: row.spared + cost});
    }
  }
  return [...rows].map(([step, row]) => ({step, ...row})).sort((one, other) => other.spared - one.spared);
};
