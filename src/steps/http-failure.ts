import type {IncomingHttpHeaders} from 'node:http';
import {retryAfter} from './http-retry-after.js';
import {NoAnswer, type NoAnswerReason} from './no-answer.js';

export interface ReceivedStatus {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly host: string;
  /** What the body says, where somebody has read it: GitHub tells its secondary limit there and nowhere else. */
  readonly message?: string;
}

/** Why an answer with this status is none, or undefined for 2xx and 304. Names the host and nothing else of the URL. */
export const failureOfStatus = (received: ReceivedStatus): NoAnswer | undefined => {
  const {status, headers, host} = received;
  if ((status >= 200 && status <= 299) || status === 304) return undefined;
  const reason = isLimit(received) ? 'rate-limited' : reasonOfStatus(status);
  const wait = reason === 'rate-limited' || status === 503 ? retryAfter(headers) : undefined;
  return new NoAnswer(reason, `${host} ${words[reason] ?? 'answered'} (status ${String(status)})`, {
    ...(wait === undefined ? {} : {retryAfter: wait}),
  });
};

/** Why a request came to nothing on the way: got's error, or one of Node's below it. */
export const failureOfError = (error: Error, host: string): NoAnswer => {
  const code = codeOf(error);
  const reason = reasonOfError(error, code);
  // The code only: messages of got and Node repeat the whole URL, query and user-info with it.
  return new NoAnswer(reason, `${host} ${words[reason] ?? 'gave no answer'}${code === '' ? '' : ` (${code})`}`);
};

const words: Partial<Record<NoAnswerReason, string>> = {
  'timed-out': 'did not answer in time',
  unreachable: 'cannot be reached',
  certificate: 'shows a certificate that is not trusted; NODE_EXTRA_CA_CERTS can name the authority',
  'captive-portal': 'is hidden behind a log-in to the network',
  'rate-limited': 'wants no more questions for now',
  refused: 'refused',
  'not-found': 'does not have it',
  'server-error': 'is in trouble',
  malformed: 'gave an answer that cannot be read',
  'proxy-unusable': 'is behind a proxy that wants other credentials',
};

/** 403 is a limit only with a sign of one; a plain 403 is a refusal that waiting does not mend. */
const isLimit = ({status, headers, message}: ReceivedStatus): boolean => {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isUsedUp = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  return isUsedUp || (message?.toLowerCase().includes('rate limit') ?? false);
};

const reasonOfStatus = (status: number): NoAnswerReason => {
  if (status === 511 || (status >= 300 && status <= 399)) return 'captive-portal';
  if (status === 407) return 'proxy-unusable';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 408) return 'timed-out';
  if (status >= 500) return 'server-error';
  return status >= 400 ? 'refused' : 'malformed';
};

const codeOf = (error: Error): string => {
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const below = error.cause instanceof Error ? codeOf(error.cause) : '';
  return own.startsWith('ERR_') && below !== '' ? below : own;
};

const reasonOfError = (error: Error, code: string): NoAnswerReason => {
  if (error.name === 'TimeoutError' || error.name === 'AbortError' || code === 'ETIMEDOUT') return 'timed-out';
  if (certificateCodes.test(code)) return 'certificate';
  return networkCodes.test(code) ? 'unreachable' : 'malformed';
};

/** OpenSSL's verification results as Node names them (`X509_V_ERR_…` without the prefix), and Node's own one. */
const certificateCodes =
  /CERT|^UNABLE_TO_|^CRL_|^INVALID_CA$|^INVALID_PURPOSE$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$/;

/** What connect, read and DNS say on Linux and macOS. */
const networkCodes =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|HOST(?:UNREACH|DOWN)|NET(?:UNREACH|DOWN)|PIPE|ADDRNOTAVAIL|NOTFOUND|ACCES|PERM)|ENOTFOUND|EAI_.*|ENODATA|ERR_SOCKET.*|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP_CONTENT_LENGTH_MISMATCH)$/;
