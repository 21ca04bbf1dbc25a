import type {ThreadUse} from '../bench/report.js';
import {visible} from '../system/visible.js';
import {inUnit, percentOf} from './bench-words.js';
import {table} from './table.js';

/** Processor time between milestones, by thread; empty where nobody asked for it. */
export const threadText = (threads: readonly ThreadUse[]): readonly string[] =>
  threads.length === 0
    ? []
    : [
        "Processor time by thread, medians; the share is of all the machine's processors",
        table(
          [
            {head: 'variant', align: 'left'},
            {head: 'between', align: 'left'},
            {head: 'processor time', align: 'right'},
            {head: 'share', align: 'right'},
            {head: 'busiest threads', align: 'left'},
          ],
          threads.map((use) => [
            use.variant,
            `${use.from} → ${use.to}`,
            inUnit(use.ms, 'milestone'),
            percentOf(use.share).replace('+', ''),
            use.threads.map(({name, ms}) => `${visible(name)} ${inUnit(ms, 'milestone')}`).join(', '),
          ]),
        ),
      ];
