import {closeSync, fstatSync, openSync, readSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';
import type {Milestone} from '../model/step.js';
import type {LaunchId, Moment} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {linesIn} from '../timeline/timeline-file.js';

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
      return milestonesIn(bytes.toString('utf8', 0, length), systemClock.now());
    } finally {
      closeSync(fd);
      unlinkSync(path);
    }
  } catch {
    return [];
  }
};

/** What is told after the fact: a line that does not say when tells nothing any more. */
export const milestonesIn = (text: string, now: Moment): readonly Milestone[] =>
  linesIn(text, now).flatMap(({name, at, isStamped}) => (isStamped ? [{name, at}] : []));
