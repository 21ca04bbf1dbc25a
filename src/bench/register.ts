import {execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import * as v from 'valibot';
import {done, failed, type Result} from '../model/failure.js';
import {atomicWrite} from '../system/atomic-write.js';
import {digest} from '../system/digest.js';
import {readPlainFile, readText} from '../system/soft-reads.js';
import {newBenchId} from './bench-store.js';
import {planFromJson} from './plan-file.js';
import type {WrittenPlan} from './written-plan.js';

/** What somebody expects before anything is measured. */
export interface Prediction {
  /** The figure: a milestone, a metric, or a part of the way (`bound → healthy`). */
  readonly of: string;
  /** Of which variant; for a change, against the base. Absent: the base. */
  readonly variant?: string | undefined;
  /** `median` in milliseconds, `difference` in milliseconds against the base, `share` of the endpoint (0.34 for 34 %). */
  readonly what: 'median' | 'difference' | 'share';
  readonly from: number;
  readonly to: number;
  /** Who or what is thought to be the cause. */
  readonly culprit: string;
}

/** A text as it was registered. */
export interface Registration {
  readonly v: 1;
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly file: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /** The commit that was checked out where the file lies; null outside of a repository. */
  readonly commit: string | null;
  readonly text: string;
}

export interface RegisteredText {
  readonly predictions: readonly Prediction[];
  /** Part of its total above which something is acted on. */
  readonly actAbove: number;
  readonly bench: WrittenPlan | undefined;
}

const predictionSchema = v.strictObject({
  of: v.string(),
  variant: v.optional(v.string()),
  what: v.optional(v.picklist(['median', 'difference', 'share']), 'median'),
  from: v.number(),
  to: v.number(),
  culprit: v.pipe(v.string(), v.minLength(1, 'a prediction names a culprit')),
});

const blockSchema = v.strictObject({
  predictions: v.pipe(v.array(predictionSchema), v.minLength(1, 'there is no prediction')),
  actAbove: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0.2),
  bench: v.optional(v.unknown()),
});

/** The first block of JSON in a Markdown text that has predictions, or the text itself where it is JSON. */
export const readRegisteredText = (text: string, origin: string): Result<RegisteredText> => {
  const blocks = [...text.matchAll(/^```json[^\n]*\n(.*?)^```/gms)].map((match) => match[1] ?? '');
  const block = blocks.find((one) => one.includes('"predictions"')) ?? text;
  let value: unknown;
  try {
    value = JSON.parse(block);
  } catch {
    return misfit(origin, 'it holds no block ```json with "predictions"');
  }
  const parsed = v.safeParse(blockSchema, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return misfit(origin, `${v.getDotPath(issue) ?? 'the block'}: ${issue.message}`);
  }
  const {predictions, actAbove, bench} = parsed.output;
  const reversed = predictions.find(({from, to}) => from > to);
  if (reversed !== undefined) return misfit(origin, `the range of '${reversed.of}' ends before it begins`);
  if (bench === undefined) return done({predictions, actAbove, bench: undefined});
  const plan = planFromJson(bench, origin);
  return plan.ok ? done({predictions, actAbove, bench: plan.value}) : plan;
};

const misfit = (origin: string, detail: string): Result<never> =>
  failed({reason: 'bad-argument', detail: `${origin}: ${detail}`});

/** A text that somebody has written. */
const fileLimit = 16 * 1024 * 1024;

/** Registered texts on disk, beside the benches. */
export class RegistrationStore {
  readonly #directory: string;

  constructor(state: string) {
    this.#directory = join(state, 'registered');
  }

  /** Keeps a text with its hash, the time and the commit. */
  register(file: string): Result<Registration> {
    const path = resolve(file);
    const text = readText(path);
    if (text === undefined) return misfit(file, 'it cannot be read');
    const checked = readRegisteredText(text, file);
    if (!checked.ok) return checked;
    const now = new Date();
    const registration: Registration = {
      v: 1,
      id: newBenchId(now, this.#newestFirst()[0]?.id),
      at: now.toISOString(),
      file: path,
      hash: digest(text),
      commit: commitAt(dirname(path)),
      text,
    };
    mkdirSync(this.#directory, {recursive: true, mode: 0o700});
    atomicWrite(join(this.#directory, `${registration.id}.json`), `${JSON.stringify(registration, undefined, 1)}\n`);
    return done(registration);
  }

  /** The newest registration of a file, refused when the file's text is another one by now. */
  under(file: string): Result<Registration> {
    const path = resolve(file);
    const found = this.#newestFirst().find((one) => one.file === path);
    if (found === undefined)
      return misfit(file, "it is not registered: 'bootcut bench register' does that before anything is measured");
    const text = readText(path);
    if (text !== undefined && digest(text) === found.hash) return done(found);
    return failed({
      reason: 'text-changed',
      file,
      registeredAt: found.at,
      detail: text === undefined ? 'it cannot be read' : firstChange(found.text, text),
    });
  }

  find(id: string): Registration | undefined {
    return this.#newestFirst().find((one) => one.id === id);
  }

  #newestFirst(): readonly Registration[] {
    let names: readonly string[];
    try {
      names = readdirSync(this.#directory);
    } catch {
      return []; // nothing has been registered
    }
    return names
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .reverse()
      .flatMap((name) => this.#read(name) ?? []);
  }

  /** A file that was damaged costs itself, not the others. */
  #read(name: string): Registration | undefined {
    try {
      const value = JSON.parse(
        readPlainFile(join(this.#directory, name), fileLimit) ?? '',
      ) as Partial<Registration> | null;
      return value?.v === 1 && typeof value.text === 'string' ? (value as Registration) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The first line that is another one, for the message. */
const firstChange = (before: string, after: string): string => {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const at = Math.max(
    0,
    old.findIndex((line, index) => line !== now[index]),
  );
  const line = old.every((one, index) => one === now[index]) ? old.length : at;
  return `line ${line + 1} was '${(old[line] ?? '').slice(0, 80)}' and is '${(now[line] ?? '').slice(0, 80)}'`;
};

const commitAt = (directory: string): string | null => {
  try {
    return execFileSync('git', ['-C', directory, 'rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
};
