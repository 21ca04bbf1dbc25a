import type {ClientRequest, Agent as HttpAgent} from 'node:http';
import type {Agent as HttpsAgent} from 'node:https';
import type {SecureContext} from 'node:tls';

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

export const secureAgent = (context: SecureContext): HttpsAgent => {
  const agent = agents.get(context) ?? new (process.getBuiltinModule('node:https').Agent)(options);
  agents.set(context, agent);
  return agent;
};

const brokeOff = Symbol('a kept connection broke off');

/** Marks errors of a request that was sent on a kept connection: the far end may have closed it at the same moment. */
export const markingReuse = (request: ClientRequest): ClientRequest =>
  request.prependListener('error', (error) => {
    if (request.reusedSocket) Object.assign(error, {[brokeOff]: true});
  });

/** Did this fail on a kept connection, and may be tried on a new one? */
export const isBrokenReuse = (error: Error): boolean =>
  brokeOff in error || (error.cause instanceof Error && brokeOff in error.cause);
