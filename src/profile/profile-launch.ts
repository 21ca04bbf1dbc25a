import type {LaunchRecord} from '../model/record.js';
import {bootForm} from './boot-form.js';
import {criticalPath} from './critical-path.js';
import type {Endpoint, LaunchProfile, MilestoneRow} from './launch-profile.js';
import {fromMicros, micros} from './micros.js';
import {type PlacedPhase, phaseAt, phaseRows, placePhases} from './phase-rows.js';
import {stepRows} from './step-rows.js';

/** What one launch's record says. Takes any record that parses: what contradicts itself is cut, never counted twice. */
export const profileLaunch = (record: LaunchRecord): LaunchProfile => {
  const total = Math.max(0, micros(record.total));
  const phases = placePhases(record, total);
  const readyAt = beginOf(phases, 'run') ?? total;
  const boot = bootForm(record);
  const asking = record.steps.filter(({kind}) => kind === 'lookup' || kind === 'check');
  return {
    id: record.id,
    at: new Date(record.at).toISOString(),
    verb: record.verb,
    runtime: record.runtime,
    ...(record.runtimeVersion === undefined ? {} : {runtimeVersion: record.runtimeVersion}),
    ...(record.standby === undefined ? {} : {standby: record.standby}),
    ...(boot === undefined ? {} : {boot}),
    ...(record.optimizations === undefined ? {} : {optimizations: record.optimizations}),
    target: record.target,
    cwd: record.cwd,
    build: record.build,
    front: record.front,
    via: record.via,
    ...(record.viaReason === undefined ? {} : {viaReason: record.viaReason}),
    outcome: record.outcome,
    temperature: record.temperature,
    totalMs: fromMicros(total),
    endpoint: endpointOf(record),
    preBootMs: fromMicros(beginOf(phases, 'boot') ?? readyAt),
    readyMs: record.outcome.kind === 'not-started' ? null : fromMicros(readyAt),
    waitedMs: fromMicros(Math.max(0, micros(record.waited))),
    lookupsMs: fromMicros(asking.reduce((sum, {cost}) => sum + Math.max(0, micros(cost)), 0)),
    phases: phaseRows(record, phases, total),
    steps: stepRows(record.steps),
    milestones: milestoneRows(record, phases),
    criticalPath: criticalPath(record, phases, readyAt),
    notes: record.notes,
  };
};

const beginOf = (phases: readonly PlacedPhase[], wanted: string): number | undefined =>
  phases.find(({name}) => name === wanted)?.from;

const endpointOf = ({outcome}: LaunchRecord): Endpoint => {
  switch (outcome.kind) {
    case 'exited':
    case 'killed':
      return 'end-of-command';
    case 'not-started':
      return 'failed-start';
    case 'lost':
      return 'last-sign';
  }
};

const milestoneRows = (record: LaunchRecord, phases: readonly PlacedPhase[]): readonly MilestoneRow[] =>
  [...record.milestones]
    .sort((a, b) => a.at - b.at)
    .map(({name, at}) => ({
      name,
      atMs: fromMicros(micros(at)),
      phase: phaseAt(phases, micros(at))?.name ?? null,
    }));
