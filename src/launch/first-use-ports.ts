import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';
import type {PortTrigger, PortUse} from '../model/first-use.js';
import type {PlanEdit} from '../model/plan.js';
import {isOwnPeer} from '../system/own-peer.js';
import type {Question} from './asking.js';
import type {OpenTriggers} from './first-use-place.js';
import {endRuns, FirstUseRun} from './first-use-run.js';
import {portText} from './port-text.js';
import {readPortUse} from './use-shape.js';

/** Listens in place of each port; who connects is joined to where the step says. */
export const openPorts: OpenTriggers = async (questions, {clock}) => {
  const ports = await Promise.all(
    questions.map(async (question) => await openPort(question, new FirstUseRun(question, clock, readPortUse))),
  );
  return {
    steps: ports.map(({run}) => run.step),
    edits: ports.flatMap(({edits}) => edits),
    end: async () => await endRuns(ports.map(({run}) => run)),
    close: async () => {
      for (const {close} of ports) close();
    },
  };
};

interface OpenPort {
  readonly run: FirstUseRun<PortUse>;
  readonly edits: readonly PlanEdit[];
  readonly close: () => void;
}

const openPort = async (question: Question, run: FirstUseRun<PortUse>): Promise<OpenPort> => {
  const {trigger} = question.info;
  const wanted = trigger !== undefined && 'port' in trigger ? trigger.port : 0;
  const open = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.unref().once('close', () => open.delete(socket));
  };
  const server = createServer({allowHalfOpen: true}, (client) => {
    if (isOwnPeer(client)) void join(keep(client), run, keep);
    else client.destroy();
  });
  const fault = await listen(server, typeof wanted === 'number' ? wanted : 0);
  if (fault !== undefined) run.refuse('taken', `${portText(wanted)} of 127.0.0.1 cannot be had (${fault})`);
  server.unref();
  const {port} = (server.address() ?? {port: 0}) as AddressInfo;
  return {
    run,
    edits: fault === undefined ? portEdits(wanted, port) : [],
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
};

const portEdits = (wanted: PortTrigger['port'], port: number): readonly PlanEdit[] => {
  if (typeof wanted === 'number') return [];
  const variables = typeof wanted === 'string' ? {[wanted]: '{port}'} : wanted;
  return Object.entries(variables).map(([name, value]) => ({
    kind: 'set-env',
    name,
    value: value.replaceAll('{port}', String(port)),
  }));
};

/** Why it does not listen, or undefined when it does. Loopback only. */
const listen = (server: Server, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({port, host: '127.0.0.1', exclusive: true}, () => resolve(undefined));
  });

/** Nothing of the client's is read before there is somebody to give it to. */
const join = async (client: Socket, run: FirstUseRun<PortUse>, keep: (socket: Socket) => Socket): Promise<void> => {
  client.on('error', () => undefined); // 'close' follows
  const use = await run.use();
  if (use === undefined || client.destroyed) {
    client.destroy();
    return;
  }
  const address = 'socket' in use ? {path: use.socket} : {host: use.host ?? '127.0.0.1', port: use.port};
  const onward = keep(connect({...address, allowHalfOpen: true}));
  onward.on('error', () => undefined).once('close', () => client.destroy());
  client.once('close', () => onward.destroy());
  client.pipe(onward);
  onward.pipe(client);
};
