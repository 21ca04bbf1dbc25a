import type {Entry} from '../cache/entry.js';
import {entryState} from '../cache/entry.js';
import type {Directories} from '../config/directories.js';
import {done, failed, type Result} from '../model/failure.js';
import type {StoredAnswer} from '../model/inspection.js';
import {type CacheKey, toMicro} from '../model/units.js';
import {systemClock} from '../system/clock.js';
import {safeFileIdentity} from '../system/file-identity.js';
import {withEngine} from './with-engine.js';

/** Every stored answer of this user, newest first. Read from the disk; nothing is asked. */
export const listAnswers = async (directories: Directories): Promise<readonly StoredAnswer[]> =>
  await withEngine(directories, async ({engine}) =>
    (await engine.cache.list()).map(({key, entry}) => storedAnswer(key, entry)),
  );

const storedAnswer = (key: CacheKey, entry: Entry): StoredAnswer => ({
  key,
  step: entry.step,
  state: stateOf(entry),
  readAt: isoTime(entry.readAt),
  freshUntil: isoTime(entry.freshUntil),
  expiresAt: isoTime(entry.expiresAt),
  ageMs: systemClock.wall() - entry.readAt,
  freshForMs: entry.freshUntil - systemClock.wall(),
  keptForMs: entry.expiresAt - systemClock.wall(),
  costMs: toMicro(entry.took),
  sizeBytes: Buffer.byteLength(JSON.stringify(entry.value)),
  private: entry.private,
  files: entry.files.map(([path]) => path),
  value: entry.value,
});

/** Any number may stand in a file; not every one is a time. */
const isoTime = (time: number): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? 'never' : date.toISOString();
};

const stateOf = (entry: Entry): StoredAnswer['state'] => {
  const state = entryState(entry, systemClock);
  if (state === 'missing') return 'expired';
  return entry.files.some(([path, identity]) => safeFileIdentity(path) !== identity) ? 'changed' : state;
};

/** The answers of a step (`plugin/step`, `plugin/step[item]`) or a plugin, or those whose key has this digest or its beginning. */
export const findAnswers = async (
  directories: Directories,
  wanted: string,
): Promise<Result<readonly StoredAnswer[]>> => {
  const all = await listAnswers(directories);
  const digest = wanted.slice(wanted.indexOf('#') + 1);
  const isDigest = /^[0-9a-f]{4,}$/.test(digest);
  const found = all.filter(({key, step}) => isOf(wanted, step) || (isDigest && key.includes(`#${digest}`)));
  return found.length > 0 ? done(found) : failed({reason: 'no-answer-stored', wanted, known: stepsOf(all)});
};

/** Forgets answers, all of them or those of a step or plugin, and says how many there were. */
export const clearAnswers = async (
  directories: Directories,
  wanted: string | undefined,
): Promise<Result<{readonly cleared: number}>> =>
  await withEngine(directories, async ({engine}) => {
    const all = await engine.cache.list();
    if (wanted !== undefined && !all.some(({entry}) => isOf(wanted, entry.step)))
      return failed({reason: 'no-answer-stored', wanted, known: stepsOf(all.map(({entry}) => entry))});
    const cleared = await engine.cache.clear(
      ({step}) => wanted === undefined || isOf(wanted, step),
      wanted === undefined,
    );
    return done({cleared});
  });

/** Is this step the one meant by a name: its own, its own without the item, or its plugin's? */
export const isOf = (wanted: string, step: string): boolean =>
  step === wanted || step.startsWith(`${wanted}[`) || step.startsWith(`${wanted}/`);

const stepsOf = (answers: readonly {readonly step: string}[]): readonly string[] => [
  ...new Set(answers.map(({step}) => step)),
];
