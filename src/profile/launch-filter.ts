import type {LaunchRecord} from '../model/record.js';
import type {LaunchRow} from './launch-row.js';

/** What launches can be picked by. Every one that is given must fit. */
export interface LaunchFilter {
  readonly verb?: string;
  readonly target?: string;
  readonly runtime?: string;
  /** Release of the runtime's program. */
  readonly version?: string;
  readonly build?: string;
  readonly front?: string;
  readonly via?: string;
  readonly temperature?: string;
  readonly outcome?: string;
  readonly cwd?: string;
}

export const filterKeys = [
  'verb',
  'target',
  'runtime',
  'version',
  'build',
  'front',
  'via',
  'temperature',
  'outcome',
  'cwd',
] as const satisfies readonly (keyof LaunchFilter)[];

/** Values of the keys that have a fixed set of them. */
export const filterValues: Readonly<Partial<Record<keyof LaunchFilter, readonly string[]>>> = {
  via: ['daemon', 'in-process'],
  temperature: ['warm', 'cold', 'mixed'],
  outcome: ['exited', 'killed', 'not-started', 'lost'],
};

export type ParsedFilter =
  | {readonly ok: true; readonly value: LaunchFilter}
  | {readonly ok: false; readonly detail: string};

/** `KEY=VALUE` items, each perhaps several with commas between; `\,` is a comma in a value. */
export const parseFilter = (items: readonly string[]): ParsedFilter => {
  const filter: {-readonly [Key in keyof LaunchFilter]: LaunchFilter[Key]} = {};
  for (const item of items.flatMap((text) => text.split(/(?<!\\),/))) {
    const at = item.indexOf('=');
    const key = item.slice(0, Math.max(0, at)).trim();
    const value = item.slice(at + 1).replaceAll('\\,', ',');
    if (at < 1 || !isKey(key)) {
      return {ok: false, detail: `'${item}' picks no launches: write KEY=VALUE, with one of ${filterKeys.join(', ')}.`};
    }
    if (filter[key] !== undefined && filter[key] !== value) {
      return {ok: false, detail: `No launch has both ${key}=${filter[key]} and ${key}=${value}.`};
    }
    const known = filterValues[key];
    if (known?.includes(value) === false) {
      return {ok: false, detail: `'${value}' is no ${key}; there are: ${known.join(', ')}.`};
    }
    filter[key] = value;
  }
  return {ok: true, value: filter};
};

const isKey = (text: string): text is keyof LaunchFilter => (filterKeys as readonly string[]).includes(text);

/** The group a launch belongs to: what it ran, how, and warm or cold. */
export const groupOf = (row: Pick<LaunchRow, 'verb' | 'target' | 'runtime' | 'temperature'>): LaunchFilter => ({
  verb: row.verb,
  target: row.target,
  runtime: row.runtime,
  temperature: row.temperature,
});

/** Does a whole record fit? The index keeps texts cut and directories as check sums; this one is exact. */
export const recordFits = (record: LaunchRecord, filter: LaunchFilter): boolean =>
  filterKeys.every((key) => filter[key] === undefined || filter[key] === valueOf(record, key));

const valueOf = (record: LaunchRecord, key: keyof LaunchFilter): string => {
  switch (key) {
    case 'version':
      return record.runtimeVersion ?? '';
    case 'outcome':
      return record.outcome.kind;
    default:
      return record[key];
  }
};
