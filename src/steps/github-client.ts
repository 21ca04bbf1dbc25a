import type {Octokit} from '@octokit/rest';
import type {Got} from 'got';
import {type HttpLaunch, httpClient} from './http-client.js';
import {failureOfStatus} from './http-failure.js';
import {userAgent} from './http-user-agent.js';
import {NoAnswer} from './no-answer.js';

export interface GithubClientOptions {
  /** API address. Default `https://api.github.com`. */
  readonly baseUrl?: string;
  /** Sent to that address and nowhere else. */
  readonly token?: string;
  readonly signal: AbortSignal;
}

/**
 * An octokit for this launch, over {@link httpClient}: one proxy and certificate rule for all. It writes nothing, sleeps
 * for no rate limit, and throws a NoAnswer for whatever is not an answer; only 304 stays octokit's own error, with
 * `status: 304`.
 */
export const githubClient = async (launch: HttpLaunch, options: GithubClientOptions): Promise<Octokit> => {
  const {baseUrl = 'https://api.github.com', token, signal} = options;
  const [{Octokit}, http] = await Promise.all([import('@octokit/rest'), httpClient(launch)]);
  const octokit = new Octokit({
    baseUrl,
    userAgent: userAgent(),
    log,
    // Said twice: for its note that an address is deprecated, octokit looks here and takes the console otherwise.
    request: {fetch: fetchWith(http, new URL(baseUrl).origin), signal, log},
    ...(token === undefined ? {} : {auth: token}),
  });
  octokit.hook.error('request', (error) => {
    throw asNoAnswer(error, new URL(baseUrl).host);
  });
  return octokit;
};

const silent = (): void => undefined;
const log = {debug: silent, info: silent, warn: silent, error: silent};

interface FetchOptions {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The part of `fetch` that octokit uses. Every status is an answer here; octokit sorts them out. */
const fetchWith =
  (http: Got, home: string) =>
  async (address: string, {method, headers, body, signal}: FetchOptions): Promise<Response> => {
    const {authorization, ...others} = headers;
    const isHome = new URL(address).origin === home;
    const response = await http(address, {
      method,
      headers: isHome && authorization !== undefined ? headers : others,
      responseType: 'buffer',
      context: {answers: 'any'},
      ...(body === undefined ? {} : {body}),
      ...(signal === undefined ? {} : {signal}),
    });
    const hasBody = response.rawBody.length > 0 && ![204, 205, 304].includes(response.statusCode);
    return new Response(hasBody ? new Uint8Array(response.rawBody) : null, {
      status: response.statusCode,
      // Without a type, octokit takes a body for text; GitHub gives nothing but JSON to who asks for it.
      headers: flat({'content-type': 'application/json', ...response.headers}),
    });
  };

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return typeof value === 'string' ? [[name, value]] : value.map((one) => [name, one]);
  });

const asNoAnswer = (error: unknown, host: string): unknown => {
  if (!(error instanceof Error)) return error;
  if (error.cause instanceof NoAnswer) return error.cause;
  const {status, response} = error as {readonly status?: number; readonly response?: ErrorResponse};
  if (status === undefined || response === undefined) return error;
  return failureOfStatus({status, headers: response.headers, host, message: error.message}) ?? error;
};

interface ErrorResponse {
  readonly headers: Readonly<Record<string, string>>;
}
