import {setTimeout as wait} from 'node:timers/promises';
import type {Launch} from 'bootcut/plugin';
import {SeenFiles} from './seen-files.js';

/** When a target is looked at, in milliseconds since it runs: a start is dense at its beginning. Each look takes 1 to 5. */
const looks = [2, 15, 40, 100, 200, 400, 800, 1500, 3000, 6000, 12_000];

/** A program that has ended by then has no start worth reading ahead for, in milliseconds. */
export const shortest = 100;

/** What was seen of launches that have not been learnt from yet; the newest few. */
const watched = new Map<string, {readonly files: SeenFiles; latest: number}>();
const mostWatched = 16;

/** Looks at a target while it starts. */
export const watch = async (launch: Launch, {pid, signal}: {readonly pid: number; readonly signal: AbortSignal}) => {
  const seen = {files: new SeenFiles(), latest: 0};
  const [oldest] = watched.keys();
  if (oldest !== undefined && watched.size >= mostWatched) watched.delete(oldest);
  watched.set(launch.id, seen);
  let last = 0;
  for (const look of looks) {
    await wait(look - last, undefined, {signal}).catch(() => undefined);
    if (signal.aborted) return;
    seen.files.look(pid);
    seen.latest = last = look;
  }
};

/** What was seen of a launch, once; undefined for one that was not watched or was over at once. */
export const takeSeen = (launch: Pick<Launch, 'id'>): SeenFiles | undefined => {
  const seen = watched.get(launch.id);
  watched.delete(launch.id);
  return seen !== undefined && seen.latest >= shortest ? seen.files : undefined;
};
