import type {LaunchRecord, StepRecord} from '../model/record.js';
import {ms} from '../model/units.js';
import {type HeldStep, type Hold, holdOf} from './held-steps.js';
import type {Segment} from './launch-profile.js';
import {fromMicros, lengthOf, micros, type Stretch} from './micros.js';
import {profileLaunch} from './profile-launch.js';

/** A step or phase that takes another time: `=0`, `=250` (milliseconds), `=+50`, `=-20`. */
export interface Assumption {
  readonly name: string;
  readonly relative: boolean;
  readonly milliseconds: number;
}

/** `profile what-if --json`, one for each launch. */
export interface WhatIf {
  readonly launch: string;
  readonly at: string;
  readonly temperature: LaunchRecord['temperature'];
  /** Milliseconds from the exec of our command until run begins, as recorded and as assumed. */
  readonly readyMs: number;
  readonly assumedReadyMs: number;
  /** Less than zero: ready earlier. */
  readonly differenceMs: number;
  readonly criticalPath: readonly Segment[];
  readonly assumedCriticalPath: readonly Segment[];
  /** For each needed step of the launch as recorded. */
  readonly steps: readonly StepRoom[];
}

export interface StepRoom {
  readonly step: string;
  readonly durationMs: number;
  /** By how much earlier the launch would be ready if the step took no time. */
  readonly ifFreeMs: number;
  /** By how much the step could grow without anybody's notice. */
  readonly slackMs: number;
}

export type ParsedAssumption =
  | {readonly ok: true; readonly value: Assumption}
  | {readonly ok: false; readonly detail: string};

export const parseAssumption = (text: string): ParsedAssumption => {
  // A step's name may have anything in its brackets, `=` too.
  const match = /^(?<name>.+)=(?<sign>[+-]?)(?<figure>\d{1,9}(?:\.\d{1,6})?)(?<unit>ms|s)?$/s.exec(text);
  const {name, sign, figure, unit} = match?.groups ?? {};
  if (name === undefined || figure === undefined) {
    return {
      ok: false,
      detail: `'${text}' assumes nothing: write STEP=0, STEP=250, STEP=+50 or STEP=-20 (milliseconds).`,
    };
  }
  const milliseconds = Number(figure) * (unit === 's' ? 1000 : 1) * (sign === '-' ? -1 : 1);
  return {ok: true, value: {name, relative: sign !== '', milliseconds}};
};

/** Names that an assumption can be about in this launch. */
export const assumable = (record: LaunchRecord): readonly string[] => [
  ...new Set([...record.steps.map(({step}) => step), ...assumablePhases]),
];

const assumablePhases = ['client', 'pre-boot', 'boot'];

/** The steps or the phase that a name means: exactly, or as the end of a step's name behind its plugin. */
const means = (name: string, {step}: StepRecord): boolean => step === name || step.endsWith(`/${name}`);

export const isAssumable = (record: LaunchRecord, name: string): boolean =>
  assumablePhases.includes(name) || record.steps.some((step) => means(name, step));

/**
 * Works a launch's course out again. Steps do not wait for one another, so each keeps its start; the launch is held until
 * the last needed one ends, and everything behind that moves with it. What it does not know: the machine is not less busy
 * for a step that is gone, and the launch's budget, which would end a longer wait.
 */
export const whatIf = (record: LaunchRecord, assumptions: readonly Assumption[]): WhatIf => {
  const assumed = assumptions.reduce(assume, record);
  const [before, after] = [profileLaunch(record), profileLaunch(assumed)];
  const [ready, assumedReady] = [before, after].map(({readyMs, totalMs}) => readyMs ?? totalMs);
  const hold = holdOf(record);
  return {
    launch: record.id,
    at: before.at,
    temperature: record.temperature,
    readyMs: ready ?? 0,
    assumedReadyMs: assumedReady ?? 0,
    differenceMs: fromMicros(micros(assumedReady ?? 0) - micros(ready ?? 0)),
    criticalPath: before.criticalPath,
    assumedCriticalPath: after.criticalPath,
    steps: hold.steps.map((step) => roomOf(hold, step)),
  };
};

const roomOf = (hold: Hold, step: HeldStep): StepRoom => {
  const {stretch, record} = step;
  const others = Math.max(
    hold.from,
    stretch.from,
    ...hold.steps.filter((other) => other !== step).map((other) => other.stretch.to),
  );
  const end = Math.max(hold.from, ...hold.steps.map((other) => other.stretch.to));
  return {
    step: record.step,
    durationMs: fromMicros(lengthOf(stretch)),
    ifFreeMs: fromMicros(Math.max(0, end - others)),
    slackMs: fromMicros(Math.max(0, others - stretch.to)),
  };
};

const assume = (record: LaunchRecord, assumption: Assumption): LaunchRecord => {
  if (assumablePhases.includes(assumption.name)) return assumePhase(record, assumption);
  const before = holdOf(record);
  const steps = record.steps.map((step) => (means(assumption.name, step) ? changed(step, assumption) : step));
  const end = Math.max(before.from, holdEnd({...record, steps}));
  const delta = end - Math.max(before.from, holdEnd(record));
  if (delta === 0) return {...record, steps};
  const waited = ms(fromMicros(Math.max(0, end - before.from)));
  return moved({...record, steps, waited}, before.to, delta);
};

const holdEnd = (record: LaunchRecord): number =>
  Math.max(0, ...holdOf(record).steps.map(({stretch}: {readonly stretch: Stretch}) => stretch.to));

const changed = (step: StepRecord, assumption: Assumption): StepRecord => {
  const duration = newLength(step, assumption);
  const isLonger = duration > step.to - step.from;
  return {
    ...step,
    to: ms(step.from + duration),
    // A stored answer that takes its time is one that is asked for.
    ...(step.state === 'fresh' && isLonger ? {state: 'read' as const} : {}),
    spans: [],
  };
};

const newLength = (interval: {readonly from: number; readonly to: number}, assumption: Assumption): number =>
  Math.max(0, assumption.milliseconds + (assumption.relative ? interval.to - interval.from : 0));

/** A phase that takes another time moves everything behind it; what is known of its inside is not known any more. */
const assumePhase = (record: LaunchRecord, assumption: Assumption): LaunchRecord => {
  const phase = record.phases.find(({name}) => name === assumption.name);
  if (phase === undefined) return record;
  const delta = micros(newLength(phase, assumption)) - micros(phase.to - phase.from);
  const isInside = ({from}: {readonly from: number}): boolean => from >= phase.from && from < phase.to;
  const isOutside = (interval: {readonly from: number}): boolean => !isInside(interval);
  return moved(
    {
      ...record,
      spans: record.spans.filter(isOutside),
      ...(assumption.name === 'pre-boot' ? {steps: record.steps.filter(isOutside), waited: ms(0)} : {}),
    },
    micros(phase.to),
    delta,
  );
};

/** The same launch with everything from a moment on (microseconds) that much later. */
const moved = (record: LaunchRecord, from: number, delta: number): LaunchRecord => {
  const move = (moment: number) =>
    ms(micros(moment) >= from ? fromMicros(Math.max(0, micros(moment) + delta)) : moment);
  const both = <Item extends {readonly from: number; readonly to: number}>(item: Item) => ({
    ...item,
    from: move(item.from),
    to: move(item.to),
  });
  return {
    ...record,
    total: move(record.total),
    phases: record.phases.map(both),
    spans: record.spans.map(both),
    milestones: record.milestones.map((milestone) => ({...milestone, at: move(milestone.at)})),
  };
};
