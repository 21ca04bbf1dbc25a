/** What runs as the daemon: `node dist/daemon/main.js DIRECTORIES`, with `--replace` to take over from an older build. */
import {closeSync, writeSync} from 'node:fs';
import {setPriority} from 'node:os';
import {join} from 'node:path';
import * as v from 'valibot';
import {askDaemon} from '../protocol/ask.js';
import {atomicWrite} from '../system/atomic-write.js';
import {openLog} from '../system/log-file.js';
import {lockScope, type ProcessLock} from '../system/process-lock.js';
import {Daemon} from './daemon.js';
import {lastAddress, leadTo} from './other-addresses.js';
import {closeStrayDescriptors} from './stray-descriptors.js';

/** The starter may wait on this descriptor for one line: `ready`, `taken`, or what went wrong. */
const readyDescriptor = 3;

const placeSchema = v.object({
  state: v.string(),
  socket: v.string(),
  cache: v.optional(v.string()),
  config: v.string(),
  data: v.string(),
  complaint: v.optional(v.string()),
});

const tell = (line: string): void => {
  try {
    writeSync(readyDescriptor, `${line}\n`);
    closeSync(readyDescriptor);
  } catch {
    // nobody is waiting
  }
};

const main = async (): Promise<void> => {
  process.umask(0o077);
  process.chdir('/');
  const stray = closeStrayDescriptors();
  normalPriority();
  const given = v.parse(placeSchema, JSON.parse(process.argv[2] ?? 'null'));
  const directories = {...given, cache: given.cache, complaint: given.complaint, complaints: [], misplaced: []};
  const log = openLog(join(given.state, 'log', 'daemon.log'));
  log('starting', {strayDescriptors: stray});
  const lock = await takeLock(given.state, given.socket, process.argv.includes('--replace'));
  if (lock === undefined) {
    log('lock-taken');
    leadTo(given.socket, lastAddress(given.state) ?? given.socket);
    tell('taken');
    return;
  }
  const daemon = await Daemon.start({directories, state: given.state, socket: given.socket}, lock, log, () =>
    process.exit(0),
  ).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error);
    log('not-started', {detail});
    noteFailure(given.state, detail);
    tell(`failed ${detail}`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void daemon.end(signal));
  process.on('SIGHUP', () => undefined); // the launching terminal has closed; that is nothing to us
  process.on('uncaughtException', (error) => log('internal-error', {detail: error.stack ?? error.message}));
  process.on('unhandledRejection', (reason) => log('internal-error', {detail: String(reason)}));
  tell('ready');
};

/** A starter that was itself slowed down must not slow down everybody later. Raising it again may be forbidden. */
const normalPriority = (): void => {
  try {
    setPriority(0);
  } catch {
    // an ordinary user may not
  }
};

const takeLock = async (state: string, socket: string, replace: boolean): Promise<ProcessLock | undefined> => {
  const scope = lockScope(state);
  const free = await scope.tryAcquire('daemon');
  if (free !== undefined || !replace) return free;
  const reply = await askDaemon(socket, {kind: 'retire'}, {limit: 2000});
  if (!reply.ok || !reply.value.retired) return undefined;
  return await scope.tryAcquire('daemon');
};

/** So that launches do not try again at once, and `daemon status` can say why. */
const noteFailure = (state: string, detail: string): void => {
  try {
    atomicWrite(join(state, 'daemon-failed.json'), JSON.stringify({at: Date.now(), detail}), {sync: false});
  } catch {
    // then they try again
  }
};

await main();
