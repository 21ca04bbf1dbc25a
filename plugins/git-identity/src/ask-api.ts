import {githubClient, type Launch, NoAnswer, type ReadTools, type Tagged, type Unchanged} from 'bootcut/plugin';
import {decodeAnswer} from './decode-answer.js';
import {tokenWithoutUser} from './gh-failure.js';
import {defaultHost} from './github-account.js';
import {type GithubUser, githubUserFrom} from './github-user.js';
import {isRecord} from './identity.js';

/** What to ask, and with which token. */
export interface ApiQuestion {
  readonly host: string;
  readonly token: string;
}

/** Where GitHub's API is for this host; undefined: where everybody's is. */
const addressFor = (host: string): string | undefined => (host === defaultHost ? undefined : `https://${host}/api/v3`);

/** Whom {@link askApi} asks, for connections that are made ahead. */
export const apiOf = (host: string): string => addressFor(host) ?? 'https://api.github.com';

/** Asks GitHub itself, for launches without gh; conditional when an earlier answer left an ETag. */
export const askApi = async (
  launch: Launch,
  {host, token}: ApiQuestion,
  {signal, etag, previous}: Pick<ReadTools, 'signal' | 'etag' | 'previous'>,
): Promise<GithubUser | Tagged<GithubUser> | Unchanged> => {
  const baseUrl = addressFor(host);
  const client = await githubClient(launch, {...(baseUrl === undefined ? {} : {baseUrl}), token, signal});
  const isConditional = etag !== undefined && previous !== undefined;
  try {
    const answer = await client.rest.users.getAuthenticated(isConditional ? {headers: {'if-none-match': etag}} : {});
    const value = githubUserFrom(decoded(answer.data), host);
    return answer.headers.etag === undefined ? value : {value, etag: answer.headers.etag};
  } catch (error) {
    if (isConditional && isRecord(error) && error['status'] === 304) return {unchanged: true};
    throw isForbidden(error) ? tokenWithoutUser() : error;
  }
};

/** Octokit hands over as text what is not JSON, whatever its types say. */
const decoded = (data: unknown): unknown => (typeof data === 'string' ? decodeAnswer(data) : data);

/** 403 without a sign of a limit: the token is good, but nobody's (of an app or an action). */
const isForbidden = (error: unknown): boolean =>
  error instanceof NoAnswer && error.reason === 'refused' && error.message.includes('(status 403)');
