import {resolve} from 'node:path';
import {done, failed, type Result} from '../model/failure.js';
import type {Condition} from '../readiness/condition.js';
import {parseCondition} from '../readiness/parse-condition.js';
import {type BenchPlan, defaultEndpoint, type Temperature, temperatures, type Variant} from './bench-plan.js';

/** A variant as it is written, on the command line or in a file; what is absent is as in the first variant. */
export interface WrittenVariant {
  readonly name?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string | null>> | undefined;
  readonly cwd?: string | undefined;
  readonly prepare?: readonly string[] | undefined;
  readonly cleanup?: readonly string[] | undefined;
  readonly temperature?: readonly string[] | undefined;
  readonly verb?: string | undefined;
  readonly runtime?: string | undefined;
  readonly memory?: string | undefined;
  readonly with?: readonly string[] | undefined;
  readonly without?: readonly string[] | undefined;
}

/** A bench as it is written; durations in milliseconds. */
export interface WrittenPlan {
  readonly title?: string | undefined;
  readonly variants: readonly WrittenVariant[];
  readonly base?: string | undefined;
  readonly rounds?: number | undefined;
  readonly warmups?: number | undefined;
  readonly seed?: number | undefined;
  readonly until?: readonly string[] | undefined;
  readonly marks?: readonly string[] | undefined;
  readonly endpoint?: string | undefined;
  readonly limitMs?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly threads?: boolean | undefined;
}

/** 12 rounds find a difference of 5 % where runs scatter by 1.5 %, and 8 are the fewest that allow a verdict. */
const usualRounds = 12;
const usualLimit = 60_000;
const usualGrace = 2000;

class Misfit extends Error {}

/** A written bench as a plan, with everything filled in; or the first thing that is wrong with it. */
export const makePlan = (written: WrittenPlan, cwd: string, isRoot: boolean): Result<BenchPlan> => {
  try {
    const variants = namedVariants(written.variants, cwd);
    const until = (written.until ?? []).map(condition);
    const marks = (written.marks ?? []).map(condition);
    const base = written.base ?? variants[0]?.name ?? '';
    if (!variants.some(({name}) => name === base)) throw new Misfit(`The base '${base}' is none of the variants.`);
    if (!isRoot && variants.some(({temperature}) => temperature.includes('page-cold'))) {
      throw new Misfit('The page cache can be dropped by root only: page-cold needs root.');
    }
    return done({
      variants,
      base,
      rounds: whole(written.rounds ?? usualRounds, 1, 'rounds'),
      warmups: whole(written.warmups ?? 1, 0, 'warm-ups'),
      seed: whole(written.seed ?? Math.floor(Math.random() * 2 ** 31), 0, 'seed'),
      until,
      marks,
      endpoint: written.endpoint ?? defaultEndpoint(until),
      limitMs: written.limitMs ?? usualLimit,
      graceMs: written.graceMs ?? usualGrace,
      threads: written.threads ?? false,
    });
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    return failed({reason: 'bad-argument', detail: error.message});
  }
};

const condition = (text: string): Condition => {
  const parsed = parseCondition(text);
  if (parsed.ok) return parsed.value;
  throw new Misfit('detail' in parsed.failure ? parsed.failure.detail : text);
};

const whole = (value: number, least: number, what: string): number => {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new Misfit(`The number of ${what} must be whole, and ${least} or more; not ${value}.`);
  }
  return value;
};

const namedVariants = (written: readonly WrittenVariant[], cwd: string): readonly Variant[] => {
  const [first] = written;
  if (first === undefined) throw new Misfit('There is no variant: name a command after --.');
  const variants = written.map((one, index) => variantFrom(one, first, one.name ?? usualName(index), cwd));
  const names = variants.map(({name}) => name);
  for (const [index, name] of names.entries()) {
    if (name.trim() === '') throw new Misfit('A variant has an empty name.');
    if (names.indexOf(name) !== index) throw new Misfit(`Two variants are named '${name}'.`);
  }
  return variants;
};

/** A, B, C, …; after Z by number. */
const usualName = (index: number): string => (index < 26 ? String.fromCharCode(65 + index) : `variant ${index + 1}`);

/** What a variant does not say is as in the first one; of the environment, each variable by itself. */
const variantFrom = (written: WrittenVariant, first: WrittenVariant, name: string, cwd: string): Variant => {
  const command = written.command ?? first.command ?? [];
  if (command.length === 0) throw new Misfit(`The variant '${name}' has no command: put it after --.`);
  return {
    name,
    command,
    env: {...first.env, ...written.env},
    cwd: resolve(cwd, written.cwd ?? first.cwd ?? '.'),
    prepare: written.prepare ?? first.prepare,
    cleanup: written.cleanup ?? first.cleanup,
    temperature: (written.temperature ?? first.temperature ?? []).map(temperature),
    through: throughOf(written, first),
  };
};

const temperature = (text: string): Temperature => {
  const known = temperatures.find((one) => one === text);
  if (known === undefined) throw new Misfit(`There is no temperature '${text}'; there are ${temperatures.join(', ')}.`);
  return known;
};

/** A variant that names a verb, a runtime, memory or plugins is launched through bootcut, by default with `run`. */
const throughOf = (written: WrittenVariant, first: WrittenVariant): Variant['through'] => {
  const verb = written.verb ?? first.verb;
  const runtime = written.runtime ?? first.runtime;
  const memory = written.memory ?? first.memory;
  const wanted = written.with ?? first.with;
  const unwanted = written.without ?? first.without;
  if ([verb, runtime, memory, wanted, unwanted].every((part) => part === undefined)) return undefined;
  return {verb: verb ?? 'run', runtime, memory, with: wanted ?? [], without: unwanted ?? []};
};
