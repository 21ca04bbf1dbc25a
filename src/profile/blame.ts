import type {LaunchRecord} from '../model/record.js';
import {toMicro} from '../model/units.js';
import {type HeldStep, type Hold, holdOf} from './held-steps.js';
import {clip, covered, fromMicros, lengthOf, micros, type Stretch, stretchOf} from './micros.js';
import {placePhases} from './phase-rows.js';
import {medianOf} from './statistics.js';

/** `profile blame --json`: whose work, and whose waiting, the time until ready was. Medians over the launches, in ms. */
export interface Blame {
  readonly launches: readonly string[];
  readonly phases: readonly BlamedPhase[];
  /** What held launches alone comes first. Steps overlap: only `aloneMs` may be added, and within one launch. */
  readonly steps: readonly BlamedStep[];
}

export interface BlamedPhase {
  readonly name: string;
  readonly durationMs: number;
  /** Of it, held for answers of steps. */
  readonly waitingMs: number;
  /** The rest: the phase's own work. */
  readonly ownMs: number;
}

export interface BlamedStep {
  readonly step: string;
  /** In how many of the launches it took part. */
  readonly n: number;
  readonly ranMs: number;
  /** Inside the parts that its plugin timed: its own work. Null where no launch has such parts. */
  readonly ownMs: number | null;
  /** Outside of them: in queues, behind other steps, or not timed by its plugin. */
  readonly waitingMs: number | null;
  /** While the launch was held for it, alone or with others. */
  readonly heldMs: number;
  /** While it alone held the launch. */
  readonly aloneMs: number;
  /** Beside other work, with nobody waiting. */
  readonly besideMs: number;
}

export const blameOf = (records: readonly LaunchRecord[]): Blame => {
  const each = records.map(blameOne);
  return {
    launches: records.map(({id}) => id),
    phases: names(each.map(({phases}) => phases.map(({name}) => name))).map((name) => {
      const rows = each.flatMap(({phases}) => phases.filter((phase) => phase.name === name));
      return {name, ...medians(rows, ['durationMs', 'waitingMs', 'ownMs'])};
    }),
    steps: names(each.map(({steps}) => steps.map(({step}) => step)))
      .map((step): BlamedStep => {
        const rows = each.flatMap(({steps}) => steps.filter((row) => row.step === step));
        const timed = rows.flatMap(({ownMs, waitingMs}) =>
          ownMs === null || waitingMs === null ? [] : [{ownMs, waitingMs}],
        );
        return {
          step,
          n: rows.length,
          ...medians(rows, ['ranMs', 'heldMs', 'aloneMs', 'besideMs']),
          ...(timed.length === 0 ? {ownMs: null, waitingMs: null} : medians(timed, ['ownMs', 'waitingMs'])),
        };
      })
      .sort((a, b) => b.aloneMs - a.aloneMs || b.heldMs - a.heldMs || b.ranMs - a.ranMs),
  };
};

const names = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];

const medians = <Key extends string>(
  rows: readonly Readonly<Record<Key, number>>[],
  keys: readonly Key[],
): Record<Key, number> =>
  Object.fromEntries(keys.map((key) => [key, toMicro(medianOf(rows.map((row) => row[key])))])) as Record<Key, number>;

const blameOne = (record: LaunchRecord) => {
  const hold = holdOf(record);
  const total = Math.max(0, micros(record.total));
  const phases = placePhases(record, total).filter(({name}) => name !== 'run' && name !== 'teardown');
  return {
    phases: phases.map((phase): BlamedPhase => {
      const waiting = lengthOf(clip(hold, phase));
      const duration = lengthOf(phase);
      return {
        name: phase.name,
        durationMs: fromMicros(duration),
        waitingMs: fromMicros(waiting),
        ownMs: fromMicros(duration - waiting),
      };
    }),
    steps: record.steps.map((step): Omit<BlamedStep, 'n'> => {
      const stretch = stretchOf(step);
      const own = covered(stretch, step.spans.map(stretchOf));
      const held = heldBy(
        hold,
        hold.steps.find((item) => item.record === step),
      );
      return {
        step: step.step,
        ranMs: fromMicros(lengthOf(stretch)),
        ownMs: step.spans.length === 0 ? null : fromMicros(own),
        waitingMs: step.spans.length === 0 ? null : fromMicros(lengthOf(stretch) - own),
        heldMs: fromMicros(held.held),
        aloneMs: fromMicros(held.alone),
        besideMs: fromMicros(lengthOf(stretch) - held.held),
      };
    }),
  };
};

const heldBy = (hold: Hold, step: HeldStep | undefined): {readonly held: number; readonly alone: number} => {
  if (step === undefined) return {held: 0, alone: 0};
  const part: Stretch = clip(step.stretch, hold);
  const others = hold.steps.filter((other) => other !== step).map(({stretch}) => stretch);
  return {held: lengthOf(part), alone: lengthOf(part) - covered(part, others)};
};
