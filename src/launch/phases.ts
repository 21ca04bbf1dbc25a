import type {PhaseRecord} from '../model/record.js';
import type {PhaseMarks} from '../model/step.js';
import {ms} from '../model/units.js';

/** The moments that part a launch, in monotonic milliseconds. */
export interface PhaseMoments {
  readonly execAt: number;
  readonly sentAt: number;
  /** Undefined when the target was never started. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The last thing known of the launch. */
  readonly doneAt: number;
}

/**
 * Consecutive phases from the exec of our command on. Every boundary is held between its neighbours, so that a mark out of
 * order can make a phase empty but never make two overlap: the phases always add up to the whole.
 */
export const partition = (moments: PhaseMoments, marks: PhaseMarks): readonly PhaseRecord[] => {
  const {execAt, doneAt} = moments;
  const started = moments.startedAt ?? doneAt;
  const ended = moments.endedAt ?? doneAt;
  const wanted = [
    moments.sentAt,
    marks.bootAt ?? started,
    marks.runAt ?? marks.bootAt ?? started,
    marks.teardownAt ?? ended,
  ];
  let last = execAt;
  const bounds = wanted.map((moment) => {
    last = Math.min(Math.max(moment, last), doneAt);
    return last;
  });
  const edges = [execAt, ...bounds, doneAt];
  const names = ['client', 'pre-boot', 'boot', 'run', 'teardown'] as const;
  return names.map((name, index) => ({
    name,
    from: ms((edges[index] ?? doneAt) - execAt),
    to: ms((edges[index + 1] ?? doneAt) - execAt),
  }));
};
