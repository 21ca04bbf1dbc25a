import type {OptimizationState} from '../model/record.js';
import {figure} from '../profile/figures.js';
import type {LaunchProfile, PhaseRow, Segment, SpanRow, StepRow} from '../profile/launch-profile.js';
import {waitedLine} from '../profile/waited.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {endpointWords, localTime, outcomeWords, targetWords, viaWords} from './profile-words.js';
import {type Column, table} from './table.js';

/** `profile` of one launch as text: Markdown whose tables are aligned for a terminal. */
export const profileText = (profile: LaunchProfile): string =>
  [
    `${targetWords(profile)}: ${inMs(profile.totalMs)} ms, ${endpointWords(profile)} (${outcomeWords(profile.outcome)})`,
    aboutLines(profile),
    phaseTable(profile),
    `TOTAL pre-boot: ${inMs(profile.preBootMs)} ms, from the exec of our command until boot begins`,
    ...stepParts(profile.steps),
    ...milestoneParts(profile),
    ...pathParts(profile),
    ...(profile.notes.length === 0 ? [] : [profile.notes.map((note) => `- note: ${visible(note)}`).join('\n')]),
    waitedLine(profile.waitedMs, profile.lookupsMs),
  ].join('\n\n');

/** Milliseconds to the microsecond, so that a column adds up to its last digit. */
const inMs = (milliseconds: number): string => figure(milliseconds, 3);

const left = (head: string): Column => ({head, align: 'left'});
const right = (head: string): Column => ({head, align: 'right'});

const aboutLines = (profile: LaunchProfile): string =>
  [
    `- launch ${profile.id}, ${localTime(profile.at)}`,
    `- runtime ${visible(profile.runtime)}${profile.runtimeVersion === undefined ? '' : ` ${visible(profile.runtimeVersion)}`}${bootWords(profile)}, via ${viaWords(profile)}, front ${visible(profile.front)}, build ${visible(profile.build)}`,
    `- in ${visible(profile.cwd)}`,
    ...(profile.optimizations ?? []).map(
      ({name, label, state, said, ahead}) =>
        `- optimization ${visible(name)} for ${visible(label)}: ${optimizationWords[state]}${said === undefined ? '' : ` (${visible(typeof said === 'string' ? said : JSON.stringify(said))})`}${ahead === undefined ? '' : `, begun ${duration(ahead)} before the launch, which was expected`}`,
    ),
  ].join('\n');

/** How it came by its VM. A standby of a runtime that says nothing of its VM is one all the same. */
const bootWords = ({boot, standby}: LaunchProfile): string => {
  if (boot === 'restored') return ', restored from a saved VM';
  if (boot === 'joined') return ', in the VM of another launch';
  if (boot === 'cold') return standby === true ? ', a standby of no use, booted cold' : ', booted cold';
  return standby === true ? ', a standby taken' : '';
};

const optimizationWords: Readonly<Record<OptimizationState, string>> = {
  used: 'used',
  'held-back': 'held back in this launch, so that its saving stays measured',
  learning: 'not prepared yet; this launch was learnt from',
  'not-prepared': 'not prepared',
  'switched-off': 'switched off: see savings',
  'left-out': 'left out by --without',
};

const phaseTable = ({phases, totalMs}: LaunchProfile): string =>
  table(
    [left('phase'), right('start'), right('ms'), right('share'), left('')],
    [
      ...phases.flatMap((phase) => [
        [phase.name, phase.fromMs === null ? '' : inMs(phase.fromMs), inMs(phase.durationMs), percent(phase.share), ''],
        ...phase.spans.map(spanCells),
        ...otherCells(phase),
      ]),
      ['total', '', inMs(totalMs), totalMs === 0 ? '' : percent(1), ''],
    ],
  );

/** Below a phase, out of the sum of the phases: no share. */
const spanCells = (span: SpanRow): readonly string[] => [
  `· ${span.name}`,
  inMs(span.fromMs),
  inMs(span.durationMs),
  '',
  span.overlaps ? 'overlaps' : '',
];

const otherCells = ({name, spans, otherMs}: PhaseRow): readonly (readonly string[])[] =>
  name === 'unattributed' || spans.length === 0 || otherMs === 0 ? [] : [['· other', '', inMs(otherMs), '', '']];

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const stepParts = (steps: readonly StepRow[]): readonly string[] => {
  if (steps.length === 0) return ['No step took part.'];
  const reasons = steps.flatMap(({step, detail}) =>
    detail === undefined ? [] : [`- ${visible(step)}: ${visible(detail)}`],
  );
  const columns = [
    left('step'),
    left('needed by'),
    left('state'),
    right('start'),
    right('ms'),
    right('costs'),
    right('spared'),
    left(''),
  ];
  return [
    table(
      columns,
      steps.flatMap((step) => [stepCells(step), ...step.spans.map(partCells)]),
    ),
    ...(reasons.length === 0 ? [] : [reasons.join('\n')]),
  ];
};

const stepCells = (step: StepRow): readonly string[] => [
  step.step,
  step.neededBy ?? 'nothing',
  step.reason === undefined || step.reason === step.state ? step.state : `${step.state} (${step.reason})`,
  inMs(step.fromMs),
  inMs(step.durationMs),
  inMs(step.costMs),
  step.sparedMs === 0 ? '' : inMs(step.sparedMs),
  step.overlaps ? 'overlaps' : '',
];

const partCells = (span: SpanRow): readonly string[] => [
  `· ${span.name}`,
  '',
  '',
  inMs(span.fromMs),
  inMs(span.durationMs),
  '',
  '',
  span.overlaps ? 'overlaps' : '',
];

const milestoneParts = ({milestones}: LaunchProfile): readonly string[] =>
  milestones.length === 0
    ? []
    : [
        table(
          [left('milestone'), right('at ms'), left('phase')],
          milestones.map(({name, atMs, phase}) => [name, inMs(atMs), phase ?? '']),
        ),
      ];

const pathParts = ({criticalPath, readyMs}: LaunchProfile): readonly string[] => {
  const length = criticalPath.reduce((sum, {durationMs}) => sum + durationMs, 0);
  if (criticalPath.length === 0) return [];
  return [
    `Critical path: ${inMs(length)} ms, ${readyMs === null ? 'until the start failed' : 'until run begins'}`,
    table([left('segment'), left('in'), right('start'), right('ms')], criticalPath.map(segmentCells)),
  ];
};

const segmentCells = ({name, phase, fromMs, durationMs}: Segment): readonly string[] => [
  name,
  phase,
  inMs(fromMs),
  inMs(durationMs),
];
