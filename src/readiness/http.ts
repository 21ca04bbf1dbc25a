import {type IncomingMessage, request as plainRequest} from 'node:http';
import {request as secureRequest} from 'node:https';
import {isIP} from 'node:net';
import {redact} from '../system/redact.js';
import type {FromFile, StatusRange} from './condition.js';
import {poll} from './poll.js';
import {addressWords, listens, PortLook, portGapMs} from './port.js';
import type {Watch} from './watch.js';
import {watchWrittenAddress} from './written-address.js';

/** A request without an answer is given up after this long, and another one is made; in milliseconds. */
const requestLimit = 5000;

/** As much of a body is looked at, in bytes. */
const bodyLimit = 1024 * 1024;

interface Wanted {
  readonly status: StatusRange;
  readonly body: RegExp | undefined;
}

/**
 * An answer with the right status and body from a socket of the target's: first it listens, then it is healthy, and both
 * are told. Requests go straight to the socket, through no proxy; redirects are not followed; any certificate will do.
 */
export const watchHttp = (source: string | FromFile, wanted: Wanted, cwd: string): Watch => {
  const look = new PortLook();
  const written = typeof source === 'string' ? undefined : watchWrittenAddress(source, cwd);
  let url = typeof source === 'string' ? new URL(source) : undefined;
  let answered: string | undefined;
  return {
    until: async (target, signal, tell) => {
      if (typeof source !== 'string') {
        const address = (await written?.address(signal)) ?? '';
        url = new URL(source.suffix === '' ? address : source.suffix, address);
      }
      const asked = url ?? new URL('http://localhost');
      const local = isLocal(asked.hostname);
      const listening = local ? await listens(look, portOf(asked), hostOf(asked), target, signal) : undefined;
      if (listening !== undefined) tell('listening', listening.at, listening.slack);
      answered = 'it has not answered yet';
      const host = listening === undefined ? bare(asked.hostname) : addressToAsk(listening.value.address);
      const {at, slack} = await poll(
        portGapMs,
        async () => {
          const answer = await ask(asked, host, wanted, signal);
          if (!signal.aborted) answered = answer.text;
          return answer.ok ? true : undefined;
        },
        listening?.at ?? target.startedAt,
        signal,
      );
      return {
        at,
        slack,
        detail: `${redact(asked.href)}, ${answered}${listening === undefined ? '' : `, on ${addressWords(listening.value)}`}`,
      };
    },
    seen: () => answered ?? (url === undefined ? (written?.seen() ?? '') : look.seen()),
  };
};

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const hostOf = ({hostname}: URL): string => (hostname.endsWith('.localhost') ? 'localhost' : bare(hostname));

const isLocal = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^(?:127\.|0\.0\.0\.0$)/.test(hostname);

const portOf = ({port, protocol}: URL): number => Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port);

/** A socket that listens on every address of its family is asked on the loopback one. */
const addressToAsk = (address: string): string => {
  const host = bare(address.slice(0, address.lastIndexOf(':')));
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
};

const ask = (
  url: URL,
  host: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<{readonly ok: boolean; readonly text: string}> =>
  new Promise((resolve) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const request = send({
      host,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      headers: {host: url.host, connection: 'close', accept: '*/*'},
      ...(url.username === '' ? {} : {auth: `${decoded(url.username)}:${decoded(url.password)}`}),
      agent: false,
      rejectUnauthorized: false,
      // A server is asked for by its name; an address is no name, and Node warns of it.
      ...(isIP(bare(url.hostname)) === 0 ? {servername: bare(url.hostname)} : {}),
      signal,
      timeout: requestLimit,
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve({
        ok: false,
        text: error.message === 'no answer' ? 'it accepts, and does not answer' : (error.code ?? error.message),
      }),
    );
    request.once('response', (response) => {
      // A stream of events has no end: what is enough is judged as soon as it is there.
      const judge = (body: string): ReturnType<typeof judgeAnswer> => judgeAnswer(response, body, wanted);
      if (wanted.body === undefined) resolve(judge(''));
      void bodyOf(response, (body) => judge(body).ok && wanted.body !== undefined).then((body) => resolve(judge(body)));
    });
    request.end();
  });

/** As it stands in a URL, or as it was written where that cannot be decoded. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Reads on until it is enough, or there is no more, or too much. */
const bodyOf = async (response: IncomingMessage, isEnough: (body: string) => boolean): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > bodyLimit || isEnough(Buffer.concat(chunks).toString('utf8'))) break;
    }
  } catch {
    // cut off: what came is judged
  }
  return Buffer.concat(chunks).toString('utf8');
};

const judgeAnswer = (
  {statusCode = 0, headers}: IncomingMessage,
  body: string,
  {status, body: pattern}: Wanted,
): {readonly ok: boolean; readonly text: string} => {
  const text = `status ${statusCode}${headers.location === undefined ? '' : ` to ${headers.location}`}`;
  if (statusCode < status.from || statusCode > status.to) return {ok: false, text: `it answers with ${text}`};
  if (pattern !== undefined && !pattern.test(body)) return {ok: false, text: `${text}, but the body does not match`};
  return {ok: true, text};
};
