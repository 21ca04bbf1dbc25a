import type {IncomingHttpHeaders} from 'node:http';
import {NoAnswer} from './no-answer.js';

export interface ReceivedBody {
  readonly method: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly host: string;
  readonly body: Uint8Array;
}

/** Why the body of a good status is not the JSON that was asked for, or undefined when it is. */
export const failureOfBody = ({method, status, headers, host, body}: ReceivedBody): NoAnswer | undefined => {
  if (status < 200 || status > 299) return undefined;
  const isPage = headers['content-type']?.toLowerCase().startsWith('text/html') === true;
  if (isPage) return portal(host);
  if (method === 'HEAD' || status !== 200) return undefined;
  const text = new TextDecoder().decode(body);
  if (isJson(text)) return undefined;
  return text.trimStart().startsWith('<')
    ? portal(host)
    : new NoAnswer('malformed', `${host} did not answer with JSON`);
};

const portal = (host: string): NoAnswer =>
  new NoAnswer(
    'captive-portal',
    `a web page came in place of the answer of ${host}: a log-in to the network may be due`,
  );

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
