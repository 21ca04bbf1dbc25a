import type {Refreshed, StoredAnswer} from '../model/inspection.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {count} from './failure.js';
import {table} from './table.js';

/** `cache list` as text. */
export const answerList = (answers: readonly StoredAnswer[]): string => {
  if (answers.length === 0) return 'No answer is stored.';
  return table(
    [
      {head: 'step', align: 'left'},
      {head: 'key', align: 'left'},
      {head: 'state', align: 'left'},
      {head: 'age', align: 'right'},
      {head: 'fresh for', align: 'right'},
      {head: 'kept for', align: 'right'},
      {head: 'cost', align: 'right'},
      {head: 'size', align: 'right'},
      {head: 'store', align: 'left'},
    ],
    answers.map((answer) => [
      answer.step,
      shortKey(answer.key),
      answer.state,
      duration(answer.ageMs),
      remaining(answer.freshForMs),
      remaining(answer.keptForMs),
      duration(answer.costMs),
      sizeText(answer.sizeBytes),
      answer.private ? 'private' : 'shared',
    ]),
  );
};

/** Digits of a key's digest that tell a user's answers apart. */
const shortKey = (key: string): string => key.slice(key.lastIndexOf('#') + 1).slice(0, 8);

const remaining = (milliseconds: number): string => (milliseconds > 0 ? duration(milliseconds) : '–');

const sizeText = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KiB`);

/** `cache show` as text: what is known of each answer, then the answer. */
export const answerDetails = (answers: readonly StoredAnswer[]): string => answers.map(answerDetail).join('\n\n');

const answerDetail = (answer: StoredAnswer): string =>
  [
    `${visible(answer.step)}: ${answer.state}`,
    `  key      ${visible(answer.key)}`,
    `  asked    ${answer.readAt}, took ${duration(answer.costMs)}`,
    `  fresh    until ${answer.freshUntil}`,
    `  kept     until ${answer.expiresAt}`,
    `  store    ${answer.private ? 'private' : 'shared'}`,
    ...answer.files.map((path) => `  depends  on ${visible(path)}`),
    ...JSON.stringify(answer.value, null, 2)
      .split('\n')
      .map((line) => `  ${visible(line)}`),
  ].join('\n');

const refreshedLine = (refreshed: Refreshed): string => {
  const head = `${visible(refreshed.step)}: `;
  return refreshed.ok
    ? `${head}asked again in ${duration(refreshed.tookMs)}`
    : `${head}no new answer (${visible(refreshed.reason)}): ${visible(refreshed.detail)}`;
};

/** `cache refresh` as text. */
export const refreshedList = (refreshed: readonly Refreshed[]): string =>
  refreshed.length === 0 ? 'Launches from here need no stored answers.' : refreshed.map(refreshedLine).join('\n');

/** `cache clear` as text. */
export const clearedText = (cleared: number): string =>
  cleared === 0 ? 'No answer was stored.' : `Cleared ${count(cleared, 'answer')}.`;
