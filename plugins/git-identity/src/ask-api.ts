import {githubClient, type Launch, NoAnswer, type ReadTools, type Tagged, type Unchanged} from 'bootcut/plugin';
import {defaultHost} from './github-account.js';
import {type GithubUser, githubUserFrom} from './github-user.js';
import {httpFailure} from './http-failure.js';
import {isRecord} from './identity.js';

/** What to ask, and with which token. */
export interface ApiQuestion {
  readonly host: string;
  readonly token: string;
}

/** Asks GitHub itself, for launches without gh; conditional when an earlier answer left an ETag. */
export const askApi = async (
  launch: Launch,
  {host, token}: ApiQuestion,
  {signal, etag, previous}: Pick<ReadTools, 'signal' | 'etag' | 'previous'>,
): Promise<GithubUser | Tagged<GithubUser> | Unchanged> => {
  const address = host === defaultHost ? {} : {baseUrl: `https://${host}/api/v3`};
  const client = await githubClient(launch, {...address, token, signal});
  const conditional = etag !== undefined && previous !== undefined;
  try {
    const answer = await client.rest.users.getAuthenticated({
      headers: conditional ? {'if-none-match': etag} : {},
      request: {signal},
    });
    const value = githubUserFrom(answer.data, host);
    return answer.headers.etag === undefined ? value : {value, etag: answer.headers.etag};
  } catch (error) {
    if (conditional && statusOf(error) === 304) return {unchanged: true};
    throw apiFailure(error, signal);
  }
};

/** Octokit's errors carry `status`; other failures of the way there have none, or 500 and a cause. */
const apiFailure = (error: unknown, signal: AbortSignal): NoAnswer => {
  if (error instanceof NoAnswer) return error;
  if (signal.aborted) return new NoAnswer('timed-out', 'GitHub took too long');
  const status = statusOf(error);
  const message = error instanceof Error ? error.message : '';
  if (status === undefined || (error instanceof Error && error.cause !== undefined))
    return new NoAnswer('unreachable', 'GitHub could not be reached');
  const seconds = Number(headersOf(error)['retry-after']);
  const exhausted = status === 403 && headersOf(error)['x-ratelimit-remaining'] === '0';
  return httpFailure({
    status: exhausted ? 429 : status,
    message,
    ...(seconds > 0 ? {retryAfter: seconds * 1000} : {}),
  });
};

const statusOf = (error: unknown): number | undefined =>
  isRecord(error) && typeof error['status'] === 'number' ? error['status'] : undefined;

const headersOf = (error: unknown): Readonly<Record<string, unknown>> => {
  const response = isRecord(error) ? error['response'] : undefined;
  const headers = isRecord(response) ? response['headers'] : undefined;
  return isRecord(headers) ? headers : {};
};
