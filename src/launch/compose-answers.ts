import type {Json} from '../model/json.js';
import type {PlanEdit} from '../model/plan.js';
import {answersFor} from '../steps/answers-for.js';
import type {GivenAnswer, RuntimeInfo, SharedLaunch} from '../steps/messages.js';
import {stepName} from '../steps/messages.js';
import {checkEdits, longestNotice} from './edit-shape.js';
import {indexOf} from './plugin-index.js';
import type {HostedPlugin} from './plugin-set.js';
import type {StepProgress} from './run-steps.js';

/** What the plugins made of the answers. */
export interface Composed {
  readonly edits: readonly PlanEdit[];
  /** Notices of checks. */
  readonly notices: readonly string[];
  readonly notes: readonly string[];
  /** Steps whose stored answer its own plugin refused. */
  readonly refused: readonly string[];
  /** The runtime's own edits, not yet checked: there when one thread has all there is to plan from. */
  readonly planned?: {readonly edits: unknown; readonly fault?: string};
}

/**
 * Has each plugin check its answers once more and turn them into edits. Where all answers are of the runtime's own thread
 * (no other plugin takes part), the runtime plans in the same call: one thread switch less in every warm launch.
 */
export const composeAnswers = async (
  plugins: readonly HostedPlugin[],
  launch: SharedLaunch,
  steps: readonly StepProgress[],
  runtime?: {readonly name: string; readonly host: HostedPlugin['host']},
): Promise<Composed> => {
  const isAlone = steps.every(({question, edits}) => question.host === runtime?.host && edits.length === 0);
  const direct = collect(steps.flatMap((step) => [{from: stepName(step.question.ref), edits: step.edits}]));
  const parts = await Promise.all(
    indexOf(plugins).hosts.map(async (host) => {
      const answers = steps.flatMap(({question, value}): readonly GivenAnswer[] =>
        question.host === host && value !== undefined ? [{ref: question.ref, value}] : [],
      );
      const plans = runtime !== undefined && isAlone && host === runtime.host;
      if (answers.length === 0 && !plans) return nothing;
      const result = await host.call('compose', {
        launch: launch.id,
        answers,
        ...(plans ? {runtime: runtime.name} : {}),
      });
      if (!result.ok)
        return {...nothing, notes: [`${answers[0]?.ref.plugin ?? runtime?.name ?? ''}: ${result.fault.detail}`]};
      const {steps: composed, plugins: whole, planned} = result.value;
      const collected = collect([
        ...composed.map((item) => ({from: stepName(item.ref), edits: item.edits, fault: item.fault})),
        ...whole.map((item) => ({from: item.plugin, edits: item.edits, fault: item.fault})),
      ]);
      return {
        ...collected,
        notices: composed.flatMap(({notice}) => (typeof notice === 'string' ? [notice.slice(0, longestNotice)] : [])),
        refused: composed.flatMap(({ref, fault}) => (fault === undefined ? [] : [stepName(ref)])),
        ...(planned === undefined ? {} : {planned}),
      };
    }),
  );
  const all: readonly Composed[] = [direct, ...parts];
  const planned = all.find((part) => part.planned !== undefined)?.planned;
  return {
    ...(planned === undefined ? {} : {planned}),
    edits: all.flatMap(({edits}) => edits),
    notices: all.flatMap(({notices}) => notices),
    notes: all.flatMap(({notes}) => notes),
    refused: all.flatMap(({refused}) => refused),
  };
};

const nothing: Composed = {edits: [], notices: [], notes: [], refused: []};

const collect = (
  sources: readonly {readonly from: string; readonly edits: unknown; readonly fault?: string | undefined}[],
): Composed => {
  const checked = sources.map(({from, edits, fault}) => ({from, fault, ...checkEdits(edits)}));
  const notes = checked.flatMap(({from, fault, broken}) => [
    ...(fault === undefined ? [] : [`${from}: ${fault}`]),
    ...(broken === 0 ? [] : [`${from}: ${broken} of its plan edits are not ones`]),
  ]);
  return {...nothing, edits: checked.flatMap(({edits}) => edits), notes};
};

/** What a runtime plans from: every answer that its own plugin did not refuse, and what plugins provide. */
export const knownAnswers = (steps: readonly StepProgress[], composed: Composed): Readonly<Record<string, Json>> =>
  answersFor(
    steps.flatMap(({question: {ref}, value}): readonly GivenAnswer[] =>
      value === undefined || composed.refused.includes(stepName(ref)) ? [] : [{ref, value}],
    ),
    composed.edits,
  );

/** The runtime's own edits: those that came along with the answers, or asked for now that all of them are known. */
export const planEdits = async (
  {host}: HostedPlugin,
  runtime: RuntimeInfo,
  launch: SharedLaunch,
  steps: readonly StepProgress[],
  composed: Composed,
): Promise<Pick<Composed, 'edits' | 'notes'>> => {
  if (composed.planned !== undefined) return collect([{from: runtime.plugin, ...composed.planned}]);
  const answers = knownAnswers(steps, composed);
  const result = await host.call('plan', {launch: launch.id, runtime: runtime.name, answers});
  if (!result.ok) return {edits: [], notes: [`the runtime ${runtime.name} gave no plan: ${result.fault.detail}`]};
  return collect([{from: runtime.plugin, edits: result.value}]);
};
