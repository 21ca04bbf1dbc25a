import {execFile} from 'node:child_process';
import type {Variant} from './bench-plan.js';
import {bootcutCommand, runtimeFlags} from './bootcut-command.js';

/** What one of our own commands may take here, in milliseconds: `standby start` gives a VM 120 s to boot. */
const commandLimit = 150_000;

/** How long the record of a launch that is over is waited for, in milliseconds: the daemon writes it behind its caller. */
const recordLimit = 5000;

/** Between two looks for it, in milliseconds. */
const lookGap = 50;

/** Launches that are looked at: others may have ended meanwhile. */
const newest = 20;

/** Has the daemon boot a standby for the next launch of this variant, unless one waits already. Returns what went wrong. */
export const awaitStandby = async (
  {through, cwd}: Variant,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (through === undefined) return 'the variant is not launched through bootcut';
  const memory = through.memory === undefined ? [] : ['--', '--memory', through.memory];
  const {fault} = await ownCommand(['standby', 'start', ...runtimeFlags(through), ...memory], cwd, env, signal);
  return fault;
};

/** Did the launch that began at this wall time take a standby? Undefined if so, else what went wrong. */
export const missedStandby = async (
  {cwd}: Variant,
  env: NodeJS.ProcessEnv,
  beganAt: number,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const deadline = performance.now() + recordLimit;
  for (;;) {
    const {stdout, fault} = await ownCommand(['profile', '--last', String(newest), '--json'], cwd, env, signal);
    const own = fault === undefined ? launchesIn(stdout).filter(({at}) => Date.parse(at) >= beganAt) : [];
    if (own.some(({standby}) => standby === true)) return undefined;
    const [launch] = own;
    if (launch !== undefined) return `the launch did not take the standby that waited for it${reasonOf(launch)}`;
    if (performance.now() > deadline || signal.aborted)
      return `no record of the launch was found${fault === undefined ? '' : `: ${fault}`}`;
    await new Promise((resolve) => setTimeout(resolve, lookGap)); // the daemon tells nobody that a record is written
  }
};

interface Launch {
  readonly at: string;
  readonly via: 'daemon' | 'in-process';
  readonly viaReason?: string;
  readonly standby?: true;
}

/** Only the daemon hands standbys out. */
const reasonOf = ({via, viaReason}: Launch): string =>
  via === 'daemon' ? '' : `: it went on without the daemon (${viaReason ?? via})`;

const launchesIn = (text: string): readonly Launch[] =>
  (JSON.parse(text) as {readonly launches: readonly Launch[]}).launches;

const ownCommand = (
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{readonly stdout: string; readonly fault: string | undefined}> =>
  new Promise((resolve) => {
    const options = {cwd, env, signal, timeout: commandLimit, maxBuffer: 2 ** 26};
    execFile(bootcutCommand, args, options, (error, stdout, stderr) => {
      // oclif wraps its messages and puts a sign in front of each line.
      const words = stderr.replaceAll(/\s+(?:›\s+)?/g, ' ').trim();
      resolve({stdout, fault: error === null ? undefined : words === '' ? error.message : words});
    });
  });
