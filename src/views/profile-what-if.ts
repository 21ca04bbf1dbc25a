import {figure} from '../profile/figures.js';
import type {Segment} from '../profile/launch-profile.js';
import {medianOf} from '../profile/statistics.js';
import type {WhatIf} from '../profile/what-if.js';
import {visible} from '../system/visible.js';
import {differenceWords} from './history-words.js';
import {table} from './table.js';

/** `profile what-if` as text: one launch in full, several as their differences. */
export const whatIfText = (launches: readonly WhatIf[], assumptions: readonly string[]): string => {
  const [only] = launches;
  const assumed = assumptions.length === 0 ? '' : `with ${assumptions.map(visible).join(', ')}: `;
  if (launches.length === 1 && only !== undefined) return oneText(only, assumed, assumptions.length > 0);
  const differences = launches.map(({differenceMs}) => differenceMs);
  return [
    `${assumed}ready ${differenceWords(medianOf(differences))} in the median of ${launches.length} launches`,
    table(
      [
        {head: 'launch', align: 'left'},
        {head: 'cache', align: 'left'},
        {head: 'ready ms', align: 'right'},
        {head: 'assumed', align: 'right'},
        {head: 'difference', align: 'right'},
      ],
      launches.map(({launch, temperature, readyMs, assumedReadyMs, differenceMs}) => [
        launch.slice(-6),
        temperature,
        ms(readyMs),
        ms(assumedReadyMs),
        differenceWords(differenceMs),
      ]),
    ),
  ].join('\n\n');
};

const oneText = (launch: WhatIf, assumed: string, isAssumed: boolean): string =>
  [
    isAssumed
      ? `launch ${launch.launch} (${launch.temperature}), ${assumed}ready after ${ms(launch.assumedReadyMs)} ms instead of ${ms(launch.readyMs)} (${differenceWords(launch.differenceMs)})`
      : `launch ${launch.launch} (${launch.temperature}), ready after ${ms(launch.readyMs)} ms`,
    ...(isAssumed ? [pathTable('the path would be', launch.assumedCriticalPath)] : []),
    launch.steps.length === 0
      ? 'The launch was held for no step.'
      : table(
          [
            {head: 'step', align: 'left'},
            {head: 'took', align: 'right'},
            {head: 'ready earlier without it', align: 'right'},
            {head: 'may grow unnoticed by', align: 'right'},
          ],
          launch.steps.map(({step, durationMs, ifFreeMs, slackMs}) => [
            step,
            ms(durationMs),
            ms(ifFreeMs),
            ms(slackMs),
          ]),
        ),
  ].join('\n\n');

const pathTable = (head: string, path: readonly Segment[]): string =>
  table(
    [
      {head, align: 'left'},
      {head: 'in', align: 'left'},
      {head: 'start', align: 'right'},
      {head: 'ms', align: 'right'},
    ],
    path.map(({name, phase, fromMs, durationMs}) => [name, phase, ms(fromMs), ms(durationMs)]),
  );

const ms = (milliseconds: number): string => figure(milliseconds, 3);
