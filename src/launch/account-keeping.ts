import type {LaunchRecord} from '../model/record.js';
import {type Moment, toMicro} from '../model/units.js';
import type {Endpoint, LaunchEntry} from '../savings/entry.js';
import type {LaunchCourse} from './finish.js';
import {armOf, type OptimizationParts} from './optimizations.js';
import type {PreparedLaunch} from './prepare.js';

/** Enters a launch into the ledgers of the optimizations that it went with or was held back from. Throws what writing throws. */
export const keepAccounts = (
  {ledger}: OptimizationParts,
  prepared: PreparedLaunch,
  course: LaunchCourse,
  record: LaunchRecord,
): void => {
  const measured = endpointOf(course, record);
  if (measured === undefined) return;
  for (const chosen of prepared.optimizations) {
    const arm = armOf(chosen);
    if (arm === undefined) continue;
    const entry: LaunchEntry = {kind: 'launch', at: record.at, arm, trial: chosen.trial, ...measured};
    ledger.add(chosen.subject, entry);
  }
};

/** From the start of the target. A launch that failed, was killed or never was ready says nothing about speed. */
const endpointOf = (
  {startedAt, endedAt, readiness}: LaunchCourse,
  {outcome}: LaunchRecord,
): {readonly endpoint: Endpoint; readonly took: number} | undefined => {
  if (startedAt === undefined) return undefined;
  const took = (until: Moment): number => toMicro(until - startedAt);
  if (readiness !== undefined) {
    return readiness.readyAt === undefined ? undefined : {endpoint: 'ready', took: took(readiness.readyAt)};
  }
  return endedAt !== undefined && outcome.kind === 'exited' && outcome.code === 0
    ? {endpoint: 'ended', took: took(endedAt)}
    : undefined;
};
