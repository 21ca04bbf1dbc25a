import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import type {Temperature, Variant} from './bench-plan.js';
import {bootcutCommand} from './bootcut-command.js';
import {whyNotStarted} from './run-target.js';
import {awaitStandby} from './standby-warm.js';

/** What a preparation may take, in milliseconds. */
const prepareLimit = 300_000;

/** As much of a failed preparation's stderr is told, in characters. */
const tailLength = 400;

/** Brings a variant into its temperature and runs its own preparation. Returns what went wrong, in words. */
export const prepareRun = async (
  variant: Variant,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (variant.prepare !== undefined) {
    const fault = await runToEnd(variant.prepare, variant.cwd, env, signal);
    if (fault !== undefined) return `prepare: ${fault}`;
  }
  for (const temperature of variant.temperature) {
    const fault = await bringAbout(temperature, variant, env, signal);
    if (fault !== undefined) return `${temperature}: ${fault}`;
  }
  return undefined;
};

const bringAbout = async (
  temperature: Temperature,
  variant: Variant,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const {cwd} = variant;
  switch (temperature) {
    case 'daemon-cold':
      return await runToEnd([bootcutCommand, 'daemon', 'stop'], cwd, env, signal);
    case 'cache-cold':
      return await runToEnd([bootcutCommand, 'cache', 'clear'], cwd, env, signal);
    case 'standby-warm':
      return await awaitStandby(variant, env, signal);
    case 'page-cold':
      return (await runToEnd(['sync'], cwd, env, signal)) ?? dropPages();
  }
};

const pageSwitch = '/proc/sys/vm/drop_caches';

const dropPages = (): string | undefined => {
  try {
    writeFileSync(pageSwitch, '3');
    return undefined;
  } catch (error) {
    return `the page cache can be dropped by root on Linux only (${(error as NodeJS.ErrnoException).code ?? ''})`;
  }
};

/** Runs a command that is not measured; undefined when it succeeded. */
export const runToEnd = (
  [file = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    // Not spawn's own `timeout`: for a program that is not there its timer would keep us from ending.
    const limit = AbortSignal.timeout(prepareLimit);
    const stop = AbortSignal.any([signal, limit]);
    const child = spawn(file, args, {cwd, env, stdio: ['ignore', 'ignore', 'pipe'], signal: stop});
    let tail = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-tailLength)));
    child.once('error', (error) =>
      resolve(
        limit.aborted
          ? `${file} had not ended after ${prepareLimit / 60_000} minutes`
          : whyNotStarted(file, cwd, error),
      ),
    );
    child.once('exit', (code, by) => {
      if (code === 0) resolve(undefined);
      else resolve(`${file} ended with ${by ?? code ?? 0}${tail.trim() === '' ? '' : `: ${tail.trim()}`}`);
    });
  });
