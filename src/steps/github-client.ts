import type {Octokit} from '@octokit/rest';
import type {Launch} from '../model/launch.js';

export interface GithubClientOptions {
  /** API address. Default `https://api.github.com`. */
  readonly baseUrl?: string;
  readonly token?: string;
  readonly signal: AbortSignal;
}

/** An octokit for this launch. */
export const githubClient = async (_launch: Launch, _options: GithubClientOptions): Promise<Octokit> => {
  const {Octokit} = await import('@octokit/rest');
  return new Octokit();
};
