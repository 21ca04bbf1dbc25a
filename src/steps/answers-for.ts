import type {Json} from '../model/json.js';
import type {PlanEdit} from '../model/plan.js';
import type {GivenAnswer} from './messages.js';

/** What a runtime plans from: answers by `plugin/step`, and what plugins provide by its own name. */
export const answersFor = (
  answers: readonly GivenAnswer[],
  edits: readonly PlanEdit[],
): Readonly<Record<string, Json>> =>
  Object.fromEntries([
    ...answers.map(({ref, value}) => [`${ref.plugin}/${ref.name}`, value] as const),
    ...edits.flatMap((edit) => (isProvided(edit) ? [[edit.name, edit.value] as const] : [])),
  ]);

/** Edits may not have been checked yet. */
const isProvided = (edit: PlanEdit | null | undefined): edit is Extract<PlanEdit, {kind: 'provide'}> =>
  edit?.kind === 'provide';
