import {closeSync, fstatSync, openSync, readSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';
import type {Milestone} from '../model/step.js';
import type {LaunchId, Moment} from '../model/units.js';

/** More than this a target's milestones are not worth, in bytes. */
const sizeLimit = 65_536;

/** The file in which a target of this launch writes its milestones down. */
export const timelinePath = (state: string, launch: LaunchId): string => join(state, `timeline-${launch}`);

/** Reads the milestones and removes the file. A target that wrote none, or nonsense, has none. */
export const takeTimeline = (path: string): readonly Milestone[] => {
  try {
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, sizeLimit));
      const length = readSync(fd, bytes, 0, bytes.length, 0);
      return parseTimeline(bytes.toString('utf8', 0, length));
    } finally {
      closeSync(fd);
      unlinkSync(path);
    }
  } catch {
    return [];
  }
};

/** Lines of `name TAB {"at": MS}`, `at` on the monotonic clock; a line without a moment tells nothing after the fact. */
export const parseTimeline = (text: string): readonly Milestone[] =>
  text.split('\n').flatMap((line): readonly Milestone[] => {
    const [name = '', json] = line.split('\t');
    const at = momentIn(json);
    return /^[\w .:/-]{1,80}$/.test(name) && at !== undefined ? [{name, at}] : [];
  });

const momentIn = (json: string | undefined): Moment | undefined => {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    const at = typeof value === 'object' && value !== null && 'at' in value ? value.at : undefined;
    return typeof at === 'number' && Number.isFinite(at) ? (at as Moment) : undefined;
  } catch {
    return undefined;
  }
};
