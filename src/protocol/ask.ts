import type {Failure, Result} from '../model/failure.js';
import type {Ask, Replies, Reply} from './asks.js';
import {decodeGreeting} from './greeting.js';
import {frameType, type Greeting} from './messages.js';
import {Channel} from './channel.js';

/** How long a command waits for a daemon, in milliseconds: a person is waiting, not a launch. */
const defaultLimit = 1000;

/** Asks a running daemon; never starts one. */
export const askDaemon = async <K extends Ask['kind']>(
  socket: string,
  ask: Extract<Ask, {kind: K}>,
  options: {readonly limit?: number; readonly onGreeting?: (greeting: Greeting) => void} = {},
): Promise<Result<Replies[K]>> => {
  const limit = options.limit ?? defaultLimit;
  const channel = new Channel(socket);
  try {
    channel.sendJson(frameType.ask, ask);
    for (;;) {
      const received = await channel.next(limit);
      if (received.kind !== 'frame') return {ok: false, failure: failureOf(received)};
      const {type, payload} = received.frame;
      if (type === frameType.welcome) {
        const greeting = decodeGreeting(payload);
        if (greeting !== undefined) options.onGreeting?.(greeting);
      } else if (type === frameType.reply) {
        return JSON.parse(payload.toString('utf8')) as Reply<K>;
      } else {
        return {ok: false, failure: {reason: 'daemon-unreachable', detail: 'it answered with something else'}};
      }
    }
  } catch {
    return {ok: false, failure: {reason: 'daemon-unreachable', detail: 'its answer makes no sense'}};
  } finally {
    channel.close();
  }
};

const failureOf = (received: {readonly kind: string; readonly code?: string}): Failure => {
  if (received.kind === 'silence')
    return {reason: 'daemon-unreachable', detail: 'it accepts connections but does not answer'};
  if (received.kind === 'nonsense')
    return {reason: 'daemon-unreachable', detail: 'what listens there does not speak our protocol'};
  const absent = received.code === 'ENOENT' || received.code === 'ECONNREFUSED';
  return absent
    ? {reason: 'daemon-not-running'}
    : {reason: 'daemon-unreachable', detail: `connection ${received.code ?? ''}`};
};
