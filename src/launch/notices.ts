import type {LaunchRequest} from '../model/launch.js';
import type {PlanEdit} from '../model/plan.js';
import {waitedLine} from '../profile/waited.js';
import {type SharedLaunch, stepName} from '../steps/messages.js';
import type {Composed} from './compose-answers.js';
import type {HostedPlugin} from './plugin-set.js';
import type {StepProgress} from './run-steps.js';
import {misnamed} from './step-names.js';

/** What a launch might say on stderr before its target starts. */
export interface NoticeInput {
  readonly launch: SharedLaunch;
  readonly request: LaunchRequest;
  readonly plugins: readonly HostedPlugin[];
  readonly steps: readonly StepProgress[];
  readonly waited: number;
  readonly composed: Composed;
  readonly edits: readonly PlanEdit[];
  /** Plugins that failed before they could be asked. */
  readonly broken: readonly string[];
  /** The setting `notices`: auto, always, never. */
  readonly show: string;
  readonly complaints: readonly string[];
  readonly complaint: string | undefined;
  /** Plugins whose fault was told lately, and when (monotonic milliseconds); kept between launches by the daemon. */
  readonly told: Map<string, number>;
  readonly now: number;
}

/** A plugin's fault is told once in this time, in milliseconds: a plugin that hangs takes launches beside it along. */
const toldFor = 60_000;

/**
 * The lines of one launch, in one voice. Notices and complaints only for a person at a terminal (or on request), so that
 * nothing gets between the bytes of a script; a plugin's fault always, in the launch in which it happens.
 */
export const noticeLines = (input: NoticeInput): readonly string[] => {
  const person = input.show === 'always' || (input.show === 'auto' && input.request.stdio[2] === 'tty');
  const {verbose} = input.launch.options;
  const quiet = input.show === 'never';
  return [
    ...(person || verbose
      ? [
          ...(input.complaint === undefined ? [] : [input.complaint]),
          ...input.complaints,
          ...misnamed(input.launch.options, input.plugins),
        ].map(ours)
      : []),
    ...(quiet ? [] : untold(input, [...input.broken, ...input.composed.notes, ...faultLines(input)]).map(ours)),
    ...(person ? [...input.composed.notices, ...noticeEdits(input.edits)] : []),
    ...(verbose ? [ours(sparedLine(input.steps, input.waited))] : []),
  ];
};

const ours = (text: string): string => `bootcut: ${text}`;

/** The first fault of each plugin, unless it was told of lately. Every such line begins with the plugin's name. */
const untold = ({told, now}: NoticeInput, lines: readonly string[]): readonly string[] =>
  lines.filter((line) => {
    const [plugin = ''] = line.split(/[/:]/);
    if (now - (told.get(plugin) ?? Number.NEGATIVE_INFINITY) < toldFor) return false;
    told.set(plugin, now);
    return true;
  });

const noticeEdits = (edits: readonly PlanEdit[]): readonly string[] =>
  edits.flatMap((edit) => (edit.kind === 'notice' ? [edit.text] : []));

/** Reasons that are a plugin's own fault rather than the world's. */
const pluginFaults = ['threw', 'plugin-ended'];

const faultLines = ({steps, plugins}: NoticeInput): readonly string[] =>
  steps.flatMap((step) => {
    const bundled = plugins.find(({info}) => info.name === step.question.ref.plugin)?.bundled ?? true;
    const fault = pluginFaults.includes(step.reason ?? '') || (!bundled && step.reason === 'timed-out');
    if (!fault || step.remembered === true) return [];
    return [`${stepName(step.question.ref)} failed: ${step.detail}; the launch goes on without it`];
  });

/** The one line that says what the cache was good for. */
export const sparedLine = (
  steps: readonly Pick<StepProgress, 'state' | 'cost' | 'question'>[],
  waited: number,
): string => {
  const lookups = steps.filter(({question}) => question.info.kind === 'lookup' || question.info.kind === 'check');
  const cost = lookups.reduce((sum, step) => sum + step.cost, 0);
  return waitedLine(waited, cost);
};

/** Warm: every needed lookup was fresh (or none was needed). Cold: none was stored. */
export const temperatureOf = (steps: readonly StepProgress[]): 'warm' | 'cold' | 'mixed' => {
  const needed = steps.filter(({question}) => question.info.kind === 'lookup');
  if (needed.every(({state}) => state === 'fresh')) return 'warm';
  return needed.some(({state}) => state === 'fresh' || state === 'stale') ? 'mixed' : 'cold';
};
