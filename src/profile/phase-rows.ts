import type {LaunchRecord, PhaseName} from '../model/record.js';
import type {PhaseRow, SpanRow} from './launch-profile.js';
import {clip, covered, fromMicros, lengthOf, overlapping, type Stretch, stretchOf} from './micros.js';

/** A phase in whole microseconds, held inside the launch and behind the phase before it. */
export interface PlacedPhase extends Stretch {
  readonly name: PhaseName;
}

/** The phases as consecutive stretches of a launch of `total` microseconds. */
export const placePhases = ({phases}: Pick<LaunchRecord, 'phases'>, total: number): readonly PlacedPhase[] => {
  let last = 0;
  return [...phases]
    .sort((a, b) => a.from - b.from)
    .map((phase) => {
      const placed = {name: phase.name, ...clip(stretchOf(phase), {from: last, to: total})};
      last = placed.to;
      return placed;
    });
};

/** One row for each phase and one for what lies in none of them: together exactly `total` microseconds. */
export const phaseRows = (
  record: Pick<LaunchRecord, 'spans' | 'steps'>,
  phases: readonly PlacedPhase[],
  total: number,
): readonly PhaseRow[] => {
  const spans = spanRows(record.spans);
  const homes = record.spans.map((span) => homeOf(phases, stretchOf(span)));
  const inHome = (phase: PlacedPhase | undefined): readonly SpanRow[] =>
    inOrder(spans.filter((_, index) => homes[index] === phase));
  const explaining = [...record.spans, ...record.steps.filter(({barrier}) => barrier !== 'none')].map(stretchOf);
  const rest = total - phases.reduce((sum, phase) => sum + lengthOf(phase), 0);
  return [
    ...phases.map((phase) => ({
      name: phase.name,
      fromMs: fromMicros(phase.from),
      durationMs: fromMicros(lengthOf(phase)),
      share: shareOf(lengthOf(phase), total),
      spans: inHome(phase),
      otherMs: fromMicros(lengthOf(phase) - covered(phase, explaining)),
    })),
    {
      name: 'unattributed',
      fromMs: null,
      durationMs: fromMicros(rest),
      share: shareOf(rest, total),
      spans: inHome(undefined),
      otherMs: fromMicros(rest),
    },
  ];
};

/** Spans as published, in the order given. */
export const spanRows = (spans: readonly {readonly name: string; readonly from: number; readonly to: number}[]) => {
  const stretches = spans.map(stretchOf);
  const overlaps = overlapping(stretches);
  return spans.map(({name}, index): SpanRow => {
    const stretch = stretches[index] ?? {from: 0, to: 0};
    return {
      name,
      fromMs: fromMicros(stretch.from),
      durationMs: fromMicros(lengthOf(stretch)),
      overlaps: overlaps[index] ?? false,
    };
  });
};

/** By start; what starts together, the longest first. */
export const inOrder = <Row extends Pick<SpanRow, 'fromMs' | 'durationMs'>>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((a, b) => a.fromMs - b.fromMs || b.durationMs - a.durationMs);

/** The phase in which a moment lies. Where two meet it is the later one; the end of the launch belongs to the last. */
export const phaseAt = (phases: readonly PlacedPhase[], moment: number): PlacedPhase | undefined =>
  phases.find(({from, to}) => from <= moment && moment < to) ?? phases.findLast(({to}) => to === moment);

/** The phase in which most of a stretch lies. */
const homeOf = (phases: readonly PlacedPhase[], stretch: Stretch): PlacedPhase | undefined => {
  let home: PlacedPhase | undefined;
  let most = 0;
  for (const phase of phases) {
    const inside = lengthOf(clip(stretch, phase));
    if (inside > most) [home, most] = [phase, inside];
  }
  return home ?? phaseAt(phases, stretch.from);
};

const shareOf = (part: number, total: number): number => (total === 0 ? 0 : part / total);
