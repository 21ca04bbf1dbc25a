import {closeSync, openSync, readSync} from 'node:fs';
import type {Moment} from '../model/units.js';
import type {ListChange, ListItem} from './settle.js';

/** The variable that names the file or descriptor to which a target may write its milestones. */
export const timelineVariable = 'BOOTCUT_TIMELINE';

/** One line that a target wrote: `name`, or `name TAB json`. */
export interface TimelineLine {
  readonly name: string;
  /** The target's own moment (`at` in the JSON, milliseconds of CLOCK_MONOTONIC), or when the line came. */
  readonly at: Moment;
  /** The target said when: no slack. */
  readonly isStamped: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Longer lines are cut: a name and a list of a few hundred items fit. In characters. */
const longestLine = 262_144;

/** Names are columns and milestones: one line, of at most this many characters. */
const longestName = 100;

/** The lines of a whole timeline. */
export const linesIn = (text: string, arrivedAt: Moment): readonly TimelineLine[] =>
  linesOf(text.split('\n'), arrivedAt);

const linesOf = (lines: readonly string[], arrivedAt: Moment): readonly TimelineLine[] =>
  lines.flatMap((line) => lineOf(line.slice(0, longestLine), arrivedAt) ?? []);

/** A line as what it says; undefined when it has no name. Broken JSON costs the data, not the milestone. */
const lineOf = (text: string, arrivedAt: Moment): TimelineLine | undefined => {
  const tab = text.indexOf('\t');
  const name = (tab < 0 ? text : text.slice(0, tab)).trim().slice(0, longestName);
  if (name === '') return undefined;
  const data = tab < 0 ? {} : objectFrom(text.slice(tab + 1));
  const at = data['at'];
  const isStamped = typeof at === 'number' && Number.isFinite(at) && at <= arrivedAt;
  return {name, at: isStamped ? (at as Moment) : arrivedAt, isStamped, data};
};

const objectFrom = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : {value};
  } catch {
    return {};
  }
};

/** Reads what is added to a timeline file, line by line. */
export class TimelineReader {
  readonly #path: string;
  #offset = 0;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** The whole lines that came since the last read. */
  read(arrivedAt: Moment): readonly TimelineLine[] {
    const text = this.#rest + this.#added();
    const lines = text.split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, longestLine);
    return linesOf(lines, arrivedAt);
  }

  #added(): string {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, 'r');
    } catch {
      return ''; // nothing was written yet
    }
    try {
      const chunks: Buffer[] = [];
      for (;;) {
        const buffer = Buffer.alloc(65_536);
        const length = readSync(descriptor, buffer, 0, buffer.length, this.#offset);
        if (length === 0) return Buffer.concat(chunks).toString('utf8');
        this.#offset += length;
        chunks.push(buffer.subarray(0, length));
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/** The list in a line (`items` in its JSON), in milliseconds since the start; undefined when it holds none. */
export const listIn = ({at, data}: TimelineLine, startedAt: Moment): ListChange | undefined => {
  const items = data['items'];
  if (!Array.isArray(items)) return undefined;
  return {at: at - startedAt, items: (items as readonly unknown[]).map(listItem)};
};

const listItem = (value: unknown): ListItem => {
  if (typeof value !== 'object' || value === null) return {id: String(value), createdAt: undefined};
  const {id, created_at: created} = value as {readonly id?: unknown; readonly created_at?: unknown};
  // Seconds or milliseconds since 1970: as milliseconds, 1e11 lies in 1973.
  const createdAt = typeof created === 'number' ? (created < 1e11 ? created * 1000 : created) : undefined;
  return {id: typeof id === 'string' || typeof id === 'number' ? String(id) : JSON.stringify(value), createdAt};
};
