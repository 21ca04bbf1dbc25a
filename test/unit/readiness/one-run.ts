import {makePlan} from '../../../src/bench/make-plan.js';
import type {BenchRun} from '../../../src/bench/result.js';
import {runOnce} from '../../../src/bench/run-once.js';
import type {WrittenPlan} from '../../../src/bench/written-plan.js';

/** Runs one command once, as the bench does, until the conditions are met. A limit of 20 s is one that is never hit. */
export const oneRun = async (
  command: readonly string[],
  until: readonly string[],
  options: Partial<WrittenPlan> & {readonly cwd?: string; readonly env?: Readonly<Record<string, string>>} = {},
): Promise<BenchRun> => {
  const {cwd = process.cwd(), env = {}, ...rest} = options;
  const plan = makePlan(
    {variants: [{name: 'it', command, env}], until, limitMs: 20_000, graceMs: 500, rounds: 1, ...rest},
    cwd,
    false,
  );
  if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
  const run = await runOnce(plan.value, plan.value.variants[0]!, {round: 1, place: 0}, new AbortController().signal);
  if (run === undefined) throw new Error('nobody interrupted it');
  return run;
};

export const node = (script: string): readonly string[] => [process.execPath, '-e', script];

/** A port that nobody holds at the moment. */
export const freePort = async (): Promise<number> => {
  const {createServer} = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const {port} = server.address() as {readonly port: number};
  await new Promise((resolve) => server.close(resolve));
  return port;
};

export const at = (run: BenchRun, name: string): number => {
  const milestone = run.milestones.find((one) => one.name === name);
  if (milestone === undefined) throw new Error(`no ${name}: ${run.why ?? ''} ${JSON.stringify(run.milestones)}`);
  return milestone.at;
};
