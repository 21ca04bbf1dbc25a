import {resolve} from 'node:path';
import {done, failed, type Result} from '../model/failure.js';
import type {Condition} from '../readiness/condition.js';
import {parseCondition} from '../readiness/parse-condition.js';
import {
  type BenchPlan,
  defaultEndpoint,
  exitMilestone,
  readyMilestone,
  type Temperature,
  temperatures,
  type Variant,
  warm,
} from './bench-plan.js';
import type {WrittenPlan, WrittenVariant} from './written-plan.js';

/** 12 rounds find a difference of 5 % where runs scatter by 1.5 %, and 8 are the fewest that allow a verdict. */
const usualRounds = 12;
const usualLimit = 60_000;
const usualGrace = 2000;

/** More than anybody waits for: a bench of 10,000 rounds of 1 s takes 3 hours for each variant. */
const mostRounds = 10_000;

/** Node's timers go no further, in milliseconds; longer ones would fire at once. */
const longestTimer = 2 ** 31 - 1;

class Misfit extends Error {}

/** A written bench as a plan, with everything filled in; or the first thing that is wrong with it. */
export const makePlan = (written: WrittenPlan, cwd: string, isRoot: boolean): Result<BenchPlan> => {
  try {
    const variants = namedVariants(written.variants, cwd);
    const until = (written.until ?? []).map(condition);
    const marks = (written.marks ?? []).map(condition);
    checkNames([...until, ...marks], until.length);
    const base = written.base ?? variants[0]?.name ?? '';
    if (!variants.some(({name}) => name === base)) throw new Misfit(`The base '${base}' is none of the variants.`);
    const cold = variants.find(
      ({temperature, through}) => temperature.includes('standby-warm') && through === undefined,
    );
    if (cold !== undefined) {
      throw new Misfit(
        `The variant '${cold.name}' is not launched through bootcut, so no standby can wait for it: name its runtime or verb.`,
      );
    }
    if (!isRoot && variants.some(({temperature}) => temperature.includes('page-cold'))) {
      throw new Misfit('The page cache can be dropped by root only: page-cold needs root.');
    }
    return done({
      variants,
      base,
      rounds: whole(written.rounds ?? usualRounds, 1, mostRounds, 'The number of rounds'),
      warmups: whole(written.warmups ?? 1, 0, mostRounds, 'The number of warm-ups'),
      seed: whole(written.seed ?? Math.floor(Math.random() * 2 ** 31), 0, Number.MAX_SAFE_INTEGER, 'The seed'),
      until,
      marks,
      endpoint: written.endpoint ?? defaultEndpoint(until),
      limitMs: duration(written.limitMs ?? usualLimit, 1, 'limit'),
      graceMs: duration(written.graceMs ?? usualGrace, 0, 'grace'),
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

/** Milestones are told apart by their names, and two names are given by us. */
const checkNames = (conditions: readonly Condition[], wanted: number): void => {
  const names = conditions.map(({name}) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Misfit(`Two conditions are named '${twice}': give one a name of its own, as in other=port:8080.`);
  }
  const taken = names.find((name) => name === exitMilestone || (name === readyMilestone && wanted > 1));
  if (taken === undefined) return;
  const what = taken === exitMilestone ? "the target's end" : 'the moment from which all conditions are true';
  throw new Misfit(`'${taken}' is ${what}: give the condition another name.`);
};

const whole = (value: number, least: number, most: number, what: string): number => {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new Misfit(`${what} must be whole, and ${least} or more; not ${value}.`);
  }
  if (value > most) throw new Misfit(`${what} must be ${most} or less; not ${value}.`);
  return value;
};

const duration = (value: number, least: number, flag: string): number => {
  if (value >= least && value <= longestTimer) return value;
  throw new Misfit(`--${flag} must be between ${least} ms and 24 days; not ${value} ms.`);
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
  if ((command[0] ?? '') === '') throw new Misfit(`The variant '${name}' has no command: put it after --.`);
  return {
    name,
    command,
    env: {...first.env, ...written.env},
    cwd: resolve(cwd, written.cwd ?? first.cwd ?? '.'),
    prepare: written.prepare ?? first.prepare,
    cleanup: written.cleanup ?? first.cleanup,
    temperature: temperaturesOf(name, written.temperature ?? first.temperature ?? []),
    through: throughOf(written, first),
  };
};

/** In the order in which they are brought about, whatever the order in which they are written. */
const temperaturesOf = (name: string, written: readonly string[]): readonly Temperature[] => {
  const unknown = written.find((text) => text !== warm && !temperatures.some((one) => one === text));
  if (unknown !== undefined) {
    throw new Misfit(`There is no temperature '${unknown}'; there are ${[warm, ...temperatures].join(', ')}.`);
  }
  if (written.includes(warm) && written.some((text) => text !== warm)) {
    throw new Misfit(`The variant '${name}' cannot be warm and something else.`);
  }
  if (written.includes('daemon-cold') && written.includes('standby-warm')) {
    throw new Misfit(
      `The variant '${name}' cannot be daemon-cold and standby-warm: it is the daemon that keeps standbys.`,
    );
  }
  return temperatures.filter((one) => written.includes(one));
};

/**
 * A variant that names a verb, a runtime, memory or plugins is launched through bootcut: with `run`, or with `shell` where
 * it names memory, as `run` hands no flag to a runtime.
 */
const throughOf = (written: WrittenVariant, first: WrittenVariant): Variant['through'] => {
  const verb = written.verb ?? first.verb;
  const runtime = written.runtime ?? first.runtime;
  const memory = written.memory ?? first.memory;
  const wanted = written.with ?? first.with;
  const unwanted = written.without ?? first.without;
  if ([verb, runtime, memory, wanted, unwanted].every((part) => part === undefined)) return undefined;
  if (verb === 'run' && memory !== undefined) {
    throw new Misfit("'run' hands no memory to a runtime: leave the verb out, or name one that does, such as shell.");
  }
  const usual = memory === undefined ? 'run' : 'shell';
  return {verb: verb ?? usual, runtime, memory, with: wanted ?? [], without: unwanted ?? []};
};
