import type {LaunchRecord, StepRecord} from '../model/record.js';
import {isAwaited} from './awaited.js';
import type {Segment} from './launch-profile.js';
import {clip, fromMicros, lengthOf, type Stretch, stretchOf} from './micros.js';
import type {PlacedPhase} from './phase-rows.js';

/**
 * The chain of consecutive segments from the exec of our command to `readyAt` (microseconds), the moment run begins: each
 * phase by its spans, and, where answers were waited for, by the step that ended last. Everything else went on beside it.
 */
export const criticalPath = (
  record: LaunchRecord,
  phases: readonly PlacedPhase[],
  readyAt: number,
): readonly Segment[] => {
  const spans = record.spans
    .map((span): Piece => ({name: span.name, kind: 'span', ...stretchOf(span)}))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  const step = lastAwaited(record, phases, readyAt);
  const segments: Segment[] = [];
  let last = 0;
  for (const phase of phases.filter(({from}) => from < readyAt)) {
    const whole = clip(phase, {from: last, to: readyAt});
    segments.push(...segmentsOf('unattributed', [{name: 'unattributed', kind: 'rest', from: last, to: whole.from}]));
    segments.push(...segmentsOf(phase.name, inPhase(phase.name, whole, spans, step)));
    last = whole.to;
  }
  segments.push(...segmentsOf('unattributed', [{name: 'unattributed', kind: 'rest', from: last, to: readyAt}]));
  return segments;
};

interface Piece extends Stretch {
  readonly name: string;
  readonly kind: Segment['kind'];
}

/** The needed step that ended last of those that were asked while the launch waited. */
const lastAwaited = (record: LaunchRecord, phases: readonly PlacedPhase[], readyAt: number): Piece | undefined => {
  const begin = phases.find(({name}) => name === 'pre-boot')?.from;
  if (begin === undefined || record.waited <= 0) return undefined;
  return record.steps
    .filter(wasAsked)
    .map((step): Piece => ({name: step.step, kind: 'step', ...clip(stretchOf(step), {from: begin, to: readyAt})}))
    .filter((piece) => lengthOf(piece) > 0)
    .sort((a, b) => b.to - a.to || a.from - b.from)[0];
};

const wasAsked = (step: StepRecord): boolean =>
  isAwaited(step) && ['read', 'failed', 'timed-out', 'deferred'].includes(step.state);

const inPhase = (name: string, whole: Stretch, spans: readonly Piece[], step: Piece | undefined): readonly Piece[] => {
  const awaited = clip(step ?? {from: whole.from, to: whole.from}, whole);
  if (step === undefined || lengthOf(awaited) === 0) return fill(name, whole, spans);
  return [
    ...fill(name, {from: whole.from, to: awaited.from}, spans),
    {...step, ...awaited},
    ...fill(name, {from: awaited.to, to: whole.to}, spans),
  ];
};

/** A stretch of a phase as its spans, one after the other, and the rest between them. */
const fill = (phase: string, whole: Stretch, spans: readonly Piece[]): readonly Piece[] => {
  const pieces: Piece[] = [];
  let last = whole.from;
  const rest = (to: number): void => {
    pieces.push({name: `rest of ${phase}`, kind: 'rest', from: last, to});
  };
  for (const span of spans) {
    const piece = clip(span, {from: last, to: whole.to});
    if (lengthOf(piece) === 0) continue;
    rest(piece.from);
    pieces.push({...span, ...piece});
    last = piece.to;
  }
  if (pieces.length === 0) return [{name: phase, kind: 'phase', ...whole}];
  rest(whole.to);
  return pieces;
};

const segmentsOf = (phase: Segment['phase'], pieces: readonly Piece[]): readonly Segment[] =>
  pieces
    .filter((piece) => lengthOf(piece) > 0)
    .map(({name, kind, ...stretch}) => ({
      name,
      kind,
      phase,
      fromMs: fromMicros(stretch.from),
      durationMs: fromMicros(lengthOf(stretch)),
    }));
