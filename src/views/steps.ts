import type {InspectedLaunch, InspectedStep, StepFate} from '../model/inspection.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {table} from './table.js';

/** `steps` as text: what runs first, then what does not and why. */
export const inspectedLaunchText = ({verb, runtime, cwd, steps, faults}: InspectedLaunch): string => {
  const runs = steps.filter(({fate}) => isRun(fate));
  const rest = steps.filter(({fate}) => !isRun(fate));
  return [
    `A launch of '${visible(verb)}' in ${visible(cwd)}, runtime ${visible(runtime)}:`,
    runs.length === 0 ? 'No step runs.' : stepTable(runs),
    ...(rest.length === 0 ? [] : ['Steps that do not run:', restTable(rest)]),
    ...(faults.length === 0 ? [] : [faults.map((fault) => `! ${visible(fault)}`).join('\n')]),
  ].join('\n\n');
};

const isRun = ({kind}: StepFate): boolean => ['stored', 'asked', 'put-off', 'resting'].includes(kind);

const stepTable = (steps: readonly InspectedStep[]): string =>
  table(
    [
      {head: 'step', align: 'left'},
      {head: 'kind', align: 'left'},
      {head: 'needed by', align: 'left'},
      {head: 'limit', align: 'right'},
      {head: 'answer', align: 'left'},
    ],
    steps.map(({step, kind, barrier, limitMs, fate}) => [
      step,
      kind,
      neededByText(barrier),
      duration(limitMs),
      fateText(fate),
    ]),
  );

const neededByText = (barrier: InspectedStep['barrier']): string => {
  if (barrier === 'none') return 'nobody waits';
  return barrier === 'first-use' ? 'first use' : barrier;
};

const restTable = (steps: readonly InspectedStep[]): string =>
  table(
    [
      {head: 'step', align: 'left'},
      {head: 'kind', align: 'left'},
      {head: 'why not', align: 'left'},
    ],
    steps.map(({step, kind, fate}) => [step, kind, fateText(fate)]),
  );

/** What becomes of a step, in words. */
export const fateText = (fate: StepFate): string => {
  switch (fate.kind) {
    case 'stored': {
      const behind = fate.state === 'stale' ? ', used now and refreshed behind' : '';
      return `${fate.state}, ${duration(fate.ageMs)} old${behind}; spares ${duration(fate.costMs)}`;
    }
    case 'asked':
      return `asked: ${fate.why}`;
    case 'put-off':
      return `put off until ${fate.until}`;
    case 'resting':
      return `not asked until ${fate.until.slice(11, 19)} UTC: ${fate.why}`;
    case 'not-needed':
      return 'it does not apply to this launch';
    case 'not-used':
      return `the runtime ${fate.runtime} does not use it (--with asks for it)`;
    case 'left-out':
      return 'left out by --without';
    case 'broken':
      return `its plugin fails: ${fate.why}`;
  }
};
