import type {Json} from '../model/json.js';
import type {PlanEdit} from '../model/plan.js';
import type {GivenAnswer, RuntimeInfo, SharedLaunch, StepRef} from '../steps/messages.js';
import {stepName} from '../steps/messages.js';
import {checkEdits} from './edit-shape.js';
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
}

/** Has each plugin check its answers once more and turn them into edits. */
export const composeAnswers = async (
  plugins: readonly HostedPlugin[],
  launch: SharedLaunch,
  steps: readonly StepProgress[],
): Promise<Composed> => {
  const direct = collect(steps.flatMap((step) => [{from: stepName(step.question.ref), edits: step.edits}]));
  const hosts = [...new Set(plugins.map(({host}) => host))];
  const parts = await Promise.all(
    hosts.map(async (host) => {
      const answers = steps.flatMap(({question, value}): readonly GivenAnswer[] =>
        question.host === host && value !== undefined ? [{ref: question.ref, value}] : [],
      );
      if (answers.length === 0) return nothing;
      const result = await host.call('compose', {launch: launch.id, answers});
      if (!result.ok) return {...nothing, notes: [`${answers[0]?.ref.plugin}: ${result.fault.detail}`]};
      const {steps: composed, plugins: whole} = result.value;
      const collected = collect([
        ...composed.map((item) => ({from: stepName(item.ref), edits: item.edits, fault: item.fault})),
        ...whole.map((item) => ({from: item.plugin, edits: item.edits, fault: item.fault})),
      ]);
      return {
        ...collected,
        notices: composed.flatMap(({notice}) => (typeof notice === 'string' ? [notice] : [])),
        refused: composed.flatMap(({ref, fault}) => (fault === undefined ? [] : [stepName(ref)])),
      };
    }),
  );
  const all = [direct, ...parts];
  return {
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

/** Answers by `plugin/step` and provided values by their own name, for the runtime. */
export const answersOf = (steps: readonly StepProgress[], composed: Composed): Readonly<Record<string, Json>> =>
  Object.fromEntries([
    ...steps.flatMap(({question, value}) =>
      value === undefined || composed.refused.includes(stepName(question.ref))
        ? []
        : [[plainName(question.ref), value] as const],
    ),
    ...composed.edits.flatMap((edit) => (edit.kind === 'provide' ? [[edit.name, edit.value] as const] : [])),
  ]);

const plainName = ({plugin, name}: StepRef): string => `${plugin}/${name}`;

/** The runtime's own edits. */
export const planEdits = async (
  {host}: HostedPlugin,
  runtime: RuntimeInfo,
  launch: SharedLaunch,
  answers: Readonly<Record<string, Json>>,
): Promise<{readonly edits: readonly PlanEdit[]; readonly notes: readonly string[]}> => {
  const result = await host.call('plan', {launch: launch.id, runtime: runtime.name, answers});
  if (!result.ok) return {edits: [], notes: [`the runtime ${runtime.name} gave no plan: ${result.fault.detail}`]};
  return collect([{from: runtime.plugin, edits: result.value}]);
};
