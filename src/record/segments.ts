import {lstatSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {LaunchId, WallTime} from '../model/units.js';
import {launchIdTime, newLaunchId} from './launch-id.js';

/** A segment takes about 500 launches; small ones keep reading the newest launches cheap however many there are. */
const segmentBytes = 1024 * 1024;

/** A segment takes the launches of a week (milliseconds), so that old ones go even where launches are few. */
const segmentSpan = 7 * 86_400_000;

/** What is kept: 64 MiB (about 30,000 launches) and 90 days, in milliseconds. */
export const retention = {bytes: 64 * segmentBytes, age: 90 * 86_400_000} as const;

const segmentName = /^[0-9A-HJKMNP-TV-Z]{26}\.jsonl$/;

/** File names of a directory's segments, oldest first. Whatever else lies there, or stands in a segment's place, is none. */
export const segmentsOf = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory, {withFileTypes: true})
      .filter((entry) => entry.isFile() && segmentName.test(entry.name))
      .map(({name}) => name)
      .sort();
  } catch {
    return []; // not made yet, or not readable
  }
};

/** The id in a segment's name. */
export const segmentId = (name: string): LaunchId => name.slice(0, 26) as LaunchId;

/** The segment to append to, by name: the newest, or a new one when it has had its share of bytes or time. */
export const segmentFor = (directory: string, now: WallTime): {readonly name: string; readonly isNew: boolean} => {
  const last = segmentsOf(directory).at(-1);
  if (last === undefined) return {name: `${newLaunchId(now)}.jsonl`, isNew: true};
  const begun = launchIdTime(segmentId(last));
  const size = lstatSync(join(directory, last), {throwIfNoEntry: false})?.size ?? 0;
  if (size < segmentBytes && now - begun < segmentSpan) return {name: last, isNew: false};
  // Named by the moment it is made, and behind the one before it even if the clock went back: names sort by time.
  return {name: `${newLaunchId(Math.max(now, begun + 1) as WallTime)}.jsonl`, isNew: true};
};

/** Drops what is not to be kept: from the newest on, what exceeds the bytes or was last written too long ago. */
export const pruneSegments = (directory: string, now: WallTime): void => {
  let bytes = 0;
  for (const name of [...segmentsOf(directory)].reverse()) {
    const path = join(directory, name);
    const status = lstatSync(path, {throwIfNoEntry: false});
    bytes += status?.size ?? 0;
    if (bytes > retention.bytes || now - (status?.mtimeMs ?? now) > retention.age) rmSync(path, {force: true});
  }
};
