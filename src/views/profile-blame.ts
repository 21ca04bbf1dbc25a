import type {Blame} from '../profile/blame.js';
import {figure} from '../profile/figures.js';
import {table} from './table.js';

/** `profile blame` as text. */
export const blameText = (blame: Blame): string => {
  const isOne = blame.launches.length === 1;
  return [
    isOne
      ? `launch ${blame.launches[0] ?? ''}`
      : `medians of ${blame.launches.length} launches, the newest ${blame.launches[0] ?? ''}`,
    table(
      [
        {head: 'phase', align: 'left'},
        {head: 'ms', align: 'right'},
        {head: 'own work', align: 'right'},
        {head: 'waiting for steps', align: 'right'},
      ],
      blame.phases.map(({name, durationMs, ownMs, waitingMs}) => [name, ms(durationMs), ms(ownMs), ms(waitingMs)]),
    ),
    blame.steps.length === 0
      ? 'No step took part.'
      : table(
          [
            {head: 'step', align: 'left'},
            ...(isOne ? [] : ([{head: 'in', align: 'right'}] as const)),
            {head: 'ran', align: 'right'},
            {head: 'own work', align: 'right'},
            {head: 'waiting', align: 'right'},
            {head: 'held', align: 'right'},
            {head: 'held alone', align: 'right'},
            {head: 'beside', align: 'right'},
          ],
          blame.steps.map((step) => [
            step.step,
            ...(isOne ? [] : [String(step.n)]),
            ms(step.ranMs),
            step.ownMs === null ? 'not timed' : ms(step.ownMs),
            step.waitingMs === null ? '' : ms(step.waitingMs),
            ms(step.heldMs),
            ms(step.aloneMs),
            ms(step.besideMs),
          ]),
        ),
    [
      '- own work: in the parts that the step’s plugin timed; waiting: the rest of the time it ran',
      '- held: the launch waited for the step; held alone: for no other one; beside: nobody waited',
      '- steps run beside one another: never add what they ran or held',
    ].join('\n'),
  ].join('\n\n');
};

const ms = (milliseconds: number): string => figure(milliseconds, 3);
