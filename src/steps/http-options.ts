import type {
  AfterResponseHook,
  BeforeRedirectHook,
  CancelableRequest,
  ExtendOptions,
  HandlerFunction,
  Options,
} from 'got';
import {isBrokenReuse} from './http-agents.js';
import {failureOfBody} from './http-body.js';
import {extraCertificates} from './http-certificates.js';
import type {HttpLaunch} from './http-client.js';
import {failureOfError, failureOfStatus} from './http-failure.js';
import {requester} from './http-request.js';
import {userAgent} from './http-user-agent.js';
import {NoAnswer} from './no-answer.js';

/** Longest answer that is read, after decompression. The largest image index on Docker Hub is about 40 kB. */
const bodyLimit = 1_048_576;

/** GitHub needs one for a renamed repository, registries one or two for storage; curl's default is 50. */
const redirectLimit = 5;

/** What makes got ours; see `httpClient`. */
export const clientOptions = async (launch: HttpLaunch): Promise<ExtendOptions> => ({
  headers: {'user-agent': userAgent()},
  // Once more, and only where a kept connection, or one made ahead, had been closed by the far end.
  retry: {limit: 1, calculateDelay: ({attemptCount, error}) => (attemptCount === 1 && isBrokenReuse(error) ? 1 : 0)},
  throwHttpErrors: false,
  followRedirect: (response) => !isDowngrade(response.url, response.headers.location),
  maxRedirects: redirectLimit,
  request: requester(launch.env, await extraCertificates(launch)),
  handlers: [askOnce],
  hooks: {beforeRedirect: [dropCredentials], afterResponse: [onlyAnswers]},
});

/** From HTTPS to plain HTTP: what a captive portal does, and what would show the answer to anybody on the way. */
const isDowngrade = (from: string, location: string | undefined): boolean =>
  from.startsWith('https:') && location !== undefined && /^\s*http:/i.test(location);

/**
 * Turns every error into a NoAnswer and ends an answer that is too long. A handler and no `beforeError` hook: got calls
 * none for a request that a signal ends.
 */
const askOnce: HandlerFunction = (options, next) => {
  if (options.isStream) return next(options);
  const request = next(options);
  // Only a stream is no CancelableRequest; the type of a handler does not tell them apart.
  const promise = request as CancelableRequest;
  let isTooLong = false;
  void promise.on('downloadProgress', ({transferred}) => {
    if (transferred <= bodyLimit || isTooLong) return;
    isTooLong = true;
    promise.cancel();
  });
  return rethrown(request, (error) => (isTooLong ? tooLong(hostOf(options)) : noAnswerFor(error, options)));
};

const rethrown = async <T>(request: T, change: (error: unknown) => unknown): Promise<Awaited<T>> => {
  try {
    return await request;
  } catch (error) {
    throw change(error);
  }
};

const noAnswerFor = (error: unknown, options: Options): unknown => {
  if (!(error instanceof Error) || error instanceof NoAnswer) return error;
  return error.cause instanceof NoAnswer ? error.cause : failureOfError(error, hostOf(options));
};

const tooLong = (host: string): NoAnswer =>
  new NoAnswer('malformed', `${host} sent more than ${String(bodyLimit)} bytes`);

/** got compares host and port only, and both are equal for `https://h` and `http://h`; the scheme belongs to it. */
const dropCredentials: BeforeRedirectHook = (options, response) => {
  if (options.url instanceof URL && options.url.origin === new URL(response.url).origin) return;
  for (const name of ['authorization', 'cookie', 'proxy-authorization']) Reflect.deleteProperty(options.headers, name);
};

const onlyAnswers: AfterResponseHook = (response) => {
  const {options} = response.request;
  const facts = {status: response.statusCode, headers: response.headers, host: new URL(response.url).host};
  const failure = failureOfStatus(facts);
  if (failure !== undefined && !isWanted(failure, facts.status, options.context)) throw failure;
  if (response.rawBody.length > bodyLimit) throw tooLong(facts.host);
  const {accept} = options.headers;
  const wantsJson = options.responseType === 'json' || (typeof accept === 'string' && accept.includes('json'));
  const flaw = wantsJson ? failureOfBody({...facts, method: options.method, body: response.rawBody}) : undefined;
  if (flaw !== undefined) throw flaw;
  return response;
};

/** A listed 403 means a refusal: one that is a used up limit, or any page of a captive portal, stays a failure. */
const isWanted = ({reason}: NoAnswer, status: number, {answers}: Options['context']): boolean => {
  if (reason === 'captive-portal') return false;
  if (answers === 'any') return true;
  return Array.isArray(answers) && answers.includes(status) && (status !== 403 || reason !== 'rate-limited');
};

const hostOf = ({url}: Pick<Options, 'url'>): string => (url === undefined ? 'the server' : new URL(url).host);
