import {type Failure, failed, type Result} from '../model/failure.js';
import {type Ask, type Replies, readReply} from './asks.js';
import {Channel} from './channel.js';
import {decodeGreeting} from './greeting.js';
import {frameType, type Greeting} from './messages.js';

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
  let greeting: Greeting | undefined;
  try {
    channel.sendJson(frameType.ask, ask);
    for (;;) {
      const received = await channel.next(limit);
      if (received.kind !== 'frame') return failed(failureOf(received, greeting));
      const {type, payload} = received.frame;
      if (type === frameType.welcome && greeting === undefined) {
        greeting = decodeGreeting(payload);
        if (greeting !== undefined) options.onGreeting?.(greeting);
        continue;
      }
      const reply = type === frameType.reply ? readReply(ask.kind, payload) : undefined;
      return reply ?? failed(unreachable('its answer makes no sense to this command', greeting));
    }
  } finally {
    channel.close();
  }
};

const unreachable = (detail: string, daemon: Greeting | undefined): Failure => ({
  reason: 'daemon-unreachable',
  detail,
  daemon,
});

const failureOf = (
  received: {readonly kind: string; readonly code?: string},
  greeting: Greeting | undefined,
): Failure => {
  if (received.kind === 'silence') return unreachable('it accepts connections but does not answer', greeting);
  if (received.kind === 'nonsense') return unreachable('what listens there does not speak our protocol', greeting);
  const absent = received.code === 'ENOENT' || received.code === 'ECONNREFUSED';
  return absent
    ? {reason: 'daemon-not-running', lastStart: undefined}
    : unreachable(`it ended the connection (${received.code ?? 'unknown'})`, greeting);
};
