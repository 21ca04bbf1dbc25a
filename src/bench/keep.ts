import {buildId} from '../system/build-id.js';
import {redact} from '../system/redact.js';
import type {BenchPlan, Variant} from './bench-plan.js';
import {newBenchId} from './bench-store.js';
import {fingerprint} from './host.js';
import type {BenchResult, KeptVariant, Registered} from './result.js';
import {orderOf} from './run-bench.js';

/** A bench that is about to run, as it is kept: nothing that looks like a secret. `last` is the id of the newest there is. */
export const newResult = (
  plan: BenchPlan,
  title: string,
  registered: Registered | undefined,
  last: string | undefined,
): BenchResult => {
  const at = new Date();
  return {
    v: 1,
    id: newBenchId(at, last),
    title,
    at: at.toISOString(),
    build: buildId,
    host: fingerprint(),
    state: 'running',
    variants: plan.variants.map(keptVariant),
    base: plan.base,
    rounds: plan.rounds,
    warmups: plan.warmups,
    seed: plan.seed,
    endpoint: plan.endpoint,
    until: plan.until.map(({name}) => redact(name)),
    marks: plan.marks.map(({name}) => redact(name)),
    order: orderOf(plan),
    runs: [],
    ...(registered === undefined ? {} : {registered}),
  };
};

const keptVariant = ({name, command, env, cwd, temperature, prepare, cleanup, through}: Variant): KeptVariant => ({
  name,
  command: redactAll(command),
  env: Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, redactValue(variable, value)])),
  cwd,
  temperature,
  ...(prepare === undefined ? {} : {prepare: redactAll(prepare)}),
  ...(cleanup === undefined ? {} : {cleanup: redactAll(cleanup)}),
  ...(through === undefined ? {} : {through}),
});

/** Parts arguments as a blank would, and stands in none of them: a flag and its value are only seen as a secret together. */
const separator = '\u2028';

const redactAll = (args: readonly string[]): readonly string[] => redact(args.join(separator)).split(separator);

const redactValue = (name: string, value: string | null): string | null =>
  value === null ? null : redact(`${name}=${value}`).slice(name.length + 1);
