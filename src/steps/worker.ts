/**
 * The plugin side of the fault wall: a worker thread that holds plugin code. It may hang, throw, exit or flood; the host
 * ends it and starts another. Nothing leaves it but data.
 */
import {parentPort, workerData} from 'node:worker_threads';
import type {Json} from '../model/json.js';
import type {LaunchId} from '../model/units.js';
import {callFault} from './call-fault.js';
import {ChildTable} from './child-table.js';
import {loadPlugins, type PluginSource} from './load.js';
import type {FromPlugins, SharedLaunch, ToPlugins} from './messages.js';
import {pluginCalls} from './plugin-calls.js';
import type {PluginSide} from './plugin-side.js';
import {childWatch} from './run.js';

const port = parentPort;
if (port === null) throw new Error('Internal error: the plugin worker was not started as a worker');

const post = (message: FromPlugins): void => port.postMessage(message);

const launches = new Map<LaunchId, SharedLaunch>();
const running = new Map<number, AbortController>();
const {sources, children} = workerData as {
  readonly sources: readonly PluginSource[];
  readonly children: SharedArrayBuffer;
};
const table = new ChildTable(children);
childWatch.started = (pid) => table.add(pid);
childWatch.ended = (pid) => table.delete(pid);

const side: Promise<PluginSide> = loadPlugins(sources).then((loaded) => ({loaded, launches}));

const answer = async (message: Extract<ToPlugins, {kind: 'call'}>): Promise<void> => {
  const controller = new AbortController();
  running.set(message.id, controller);
  try {
    const call = pluginCalls[message.name] as (side: PluginSide, args: unknown, signal: AbortSignal) => unknown;
    const loaded = await side;
    if (controller.signal.aborted) return; // its limit went by while the plugins were loading
    const result = await call(loaded, message.args, controller.signal);
    post({kind: 'result', id: message.id, result: plainData(result)});
  } catch (error) {
    post({kind: 'fault', id: message.id, fault: callFault(error)});
  } finally {
    running.delete(message.id);
  }
};

/** Only JSON leaves the wall: circular things, functions and big integers are faults of their plugin here, not ours there. */
const plainData = (result: unknown): Json | undefined =>
  result === undefined ? undefined : (JSON.parse(JSON.stringify(result)) as Json);

port.on('message', (message: ToPlugins) => {
  switch (message.kind) {
    case 'call':
      void answer(message);
      return;
    case 'launch':
      launches.set(message.launch.id, message.launch);
      return;
    case 'forget':
      launches.delete(message.launch);
      return;
    case 'abort':
      running.get(message.id)?.abort();
      return;
    case 'ping':
      post({kind: 'pong', id: message.id});
  }
});

/** Everything that a signal can be sent to with us in it: ourselves, our group, everybody. */
const withUs: readonly number[] = [process.pid, -process.pid, 0, -1];

// A wrong number must not end the daemon, or a launch: in a thread this is one of the few things that can.
const signal = process.kill.bind(process);
process.kill = (pid, name) => {
  const target: unknown = pid; // a plugin may hand over a text, and Node takes it
  if (withUs.includes(Number(target)) && name !== 0)
    throw new Error('a plugin cannot signal the process that it runs in');
  return signal(pid, name);
};

// A rejection nobody waits for, or a throw from a timer, is that plugin's loss; the thread and its other plugins go on.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
