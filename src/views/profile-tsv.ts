import type {LaunchProfile} from '../profile/launch-profile.js';
import {visible} from '../system/visible.js';

/**
 * Columns of `profile --format tsv`. They keep their names and their order; a new one is added behind the last.
 *
 * | column | what |
 * | --- | --- |
 * | launch | id of the launch; `at`, `target`, `runtime`, `temperature`, `outcome` are the same in all of its rows |
 * | kind | total, ready, phase, span, step, part, milestone or path |
 * | name | of the phase, step, …; empty for total and ready |
 * | in | phase of a span, milestone or path segment; step of a part; phase that waits for a step |
 * | from_ms, duration_ms | since the exec of bootcut; empty where there is none |
 * | state | of a step |
 */
const columns = [
  'launch',
  'at',
  'target',
  'runtime',
  'temperature',
  'outcome',
  'kind',
  'name',
  'in',
  'from_ms',
  'duration_ms',
  'state',
] as const;

type Cells = readonly [
  kind: string,
  name: string,
  parent: string,
  from: number | null,
  duration: number | null,
  state?: string,
];

/** `profile --format tsv`: a head and a row for each thing with a time. Phases add up; steps, spans and parts overlap. */
export const profileTsv = (profiles: readonly LaunchProfile[]): string =>
  [columns.join('\t'), ...profiles.flatMap(launchLines)].join('\n');

const launchLines = (profile: LaunchProfile): readonly string[] => {
  const {id, at, target, runtime, temperature, outcome} = profile;
  return cellsOf(profile).map(([kind, name, parent, from, duration, state]) =>
    [
      ...[id, at, target, runtime, temperature, outcome.kind, kind, name, parent].map(field),
      figureField(from),
      figureField(duration),
      state ?? '',
    ].join('\t'),
  );
};

const cellsOf = (profile: LaunchProfile): readonly Cells[] => [
  ['total', '', '', 0, profile.totalMs],
  ['ready', '', '', 0, profile.readyMs],
  ...profile.phases.flatMap((phase): readonly Cells[] => [
    ['phase', phase.name, '', phase.fromMs, phase.durationMs],
    ...phase.spans.map((span): Cells => ['span', span.name, phase.name, span.fromMs, span.durationMs]),
  ]),
  ...profile.steps.flatMap((step): readonly Cells[] => [
    ['step', step.step, step.neededBy ?? '', step.fromMs, step.durationMs, step.state],
    ...step.spans.map((part): Cells => ['part', part.name, step.step, part.fromMs, part.durationMs]),
  ]),
  ...profile.milestones.map(({name, atMs, phase}): Cells => ['milestone', name, phase ?? '', atMs, null]),
  ...profile.criticalPath.map(
    (segment): Cells => ['path', segment.name, segment.phase, segment.fromMs, segment.durationMs],
  ),
];

/** A text in one field: `\\`, `\t`, `\n` and `\r` stand for these characters, other hidden ones show as escapes. */
const field = (text: string): string =>
  visible(text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r'));

const figureField = (milliseconds: number | null): string => (milliseconds === null ? '' : milliseconds.toFixed(3));
