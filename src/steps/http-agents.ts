import type {ClientRequest, Agent as HttpAgent} from 'node:http';
import type {Agent as HttpsAgent} from 'node:https';
import type {SecureContext} from 'node:tls';
import {stoodAhead, takeAhead} from './http-ahead.js';

/**
 * A connection is kept for this long after an answer, in milliseconds: the two to five requests of one look-up come at once,
 * the next look-up hours later. Servers keep theirs for five seconds and more (Node's own default is the shortest there is).
 */
const keptFor = 2000;

/** Kept to each host at most. */
const most = 2;

const options = {keepAlive: true, timeout: keptFor, maxFreeSockets: most};

let plain: HttpAgent | undefined;

export const plainAgent = (): HttpAgent => (plain ??= new (process.getBuiltinModule('node:http').Agent)(options));

/** One for each set of trusted authorities: a connection that was made under one must not be used under another. */
const agents = new WeakMap<SecureContext, HttpsAgent>();

/** Takes a connection that was made ahead where one is held, and makes one otherwise. */
export const secureAgent = (context: SecureContext): HttpsAgent => {
  const known = agents.get(context);
  if (known !== undefined) return known;
  const agent = new (process.getBuiltinModule('node:https').Agent)(options);
  const open = agent.createConnection.bind(agent);
  agent.createConnection = (wanted, done) => takeAhead(context, wanted) ?? open(wanted, done);
  agents.set(context, agent);
  return agent;
};

/** Has this thread a connection to this host, in use or kept after an answer? */
export const isConnected = (context: SecureContext, host: string, port: number): boolean => {
  const {sockets = {}, freeSockets = {}} = agents.get(context) ?? {};
  // Names of an agent begin with both, and go on with what belongs to TLS.
  return [...Object.keys(sockets), ...Object.keys(freeSockets)].some((name) => name.startsWith(`${host}:${port}:`));
};

const brokeOff = Symbol('a connection that stood already broke off');

/** Marks errors of a request on a connection that stood already: the far end may have closed it at the same moment. */
export const markingReuse = (request: ClientRequest): ClientRequest =>
  request.prependListener('error', (error) => {
    if (request.reusedSocket || stoodAhead(request.socket)) Object.assign(error, {[brokeOff]: true});
  });

/** Did this fail on a connection that stood already, and may be tried on a new one? */
export const isBrokenReuse = (error: Error): boolean =>
  brokeOff in error || (error.cause instanceof Error && brokeOff in error.cause);
