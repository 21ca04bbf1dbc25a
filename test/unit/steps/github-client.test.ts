import {describe, test, vi} from 'vitest';
import {githubClient} from '../../../src/steps/github-client.js';
import {NoAnswer} from '../../../src/steps/no-answer.js';
import {type GitHub, startGitHub} from '../../rig/github.js';
import {startScriptedServer} from '../../rig/scripted-server.js';
import {launchWith} from '../plugins/update-check/launch.js';

const ann = {login: 'ann', id: 7, name: 'Ann', email: null};
const users = {SECRET456: ann};

const clientFor = async (github: GitHub, token?: string, signal = new AbortController().signal) =>
  await githubClient(launchWith({env: {SSL_CERT_FILE: github.certFile}}), {
    baseUrl: `${github.url}/api/v3`,
    signal,
    ...(token !== undefined && {token}),
  });

const failureOf = async (request: PromiseLike<unknown>): Promise<NoAnswer> => {
  try {
    await request;
  } catch (error) {
    if (error instanceof NoAnswer) return error;
    throw error;
  }
  throw new Error('there was an answer');
};

describe('githubClient', () => {
  test('asks with the token and says who asks', async ({expect}) => {
    await using github = await startGitHub({users});
    const octokit = await clientFor(github, 'SECRET456');
    expect((await octokit.users.getAuthenticated()).data).toMatchObject({login: 'ann', id: 7, email: null});
    expect(github.requests[0]?.headers['user-agent']).toMatch(/^bootcut\//);
    expect(github.requests[0]?.headers.authorization).toBe('token SECRET456');
  });

  const limit = {'x-ratelimit-remaining': '0', date: new Date(7_000_000).toUTCString(), 'x-ratelimit-reset': '10600'};
  test.for<[string, object, string, number | undefined]>([
    ['bad credentials', {status: 401, body: {message: 'Bad credentials'}}, 'refused', undefined],
    ['an integration', {status: 403, body: {message: 'Resource not accessible by integration'}}, 'refused', undefined],
    ['nothing there', {status: 404}, 'not-found', undefined],
    ['the limit', {status: 403, headers: limit}, 'rate-limited', 3_600_000],
    ['retry-after', {status: 403, headers: {'retry-after': '3000'}}, 'rate-limited', 3_000_000],
    ['429', {status: 429, headers: {'retry-after': '60'}}, 'rate-limited', 60_000],
    ['trouble', {status: 500}, 'server-error', undefined],
    ['a page', {body: '<html>', headers: {server: 'x', 'content-type': 'text/html'}}, 'captive-portal', undefined],
    ['511', {status: 511, headers: {server: 'x'}}, 'captive-portal', undefined],
    ['half an answer', {body: '{"login":'}, 'malformed', undefined],
    ['a reset', {fault: 'reset'}, 'unreachable', undefined],
  ])(
    'throws the reason after %s, without sleeping, printing or asking again',
    async ([, answer, reason, wait], {expect}) => {
      const said = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
      await using github = await startGitHub({users});
      github.answer({}, answer);
      const failure = await failureOf((await clientFor(github, 'SECRET456')).users.getAuthenticated());
      expect(failure.reason).toBe(reason);
      if (wait !== undefined) expect(failure.retryAfter).toBe(wait);
      expect(github.requests).toHaveLength(1);
      expect(said.flatMap((spy) => spy.mock.calls)).toEqual([]);
      expect(`${failure.message}${String(failure.stack)}${JSON.stringify(failure)}`).not.toContain('SECRET');
      vi.restoreAllMocks();
    },
  );

  test('a deprecated address is no reason to print', async ({expect}) => {
    const warn = vi.spyOn(console, 'warn');
    await using github = await startGitHub({users});
    github.answer({}, {body: {login: 'ann'}, headers: {deprecation: 'true', sunset: 'soon'}});
    await (await clientFor(github, 'SECRET456')).users.getAuthenticated();
    expect(warn).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test('304 stays an error with that status', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1'}});
    const octokit = await clientFor(github);
    const {headers} = await octokit.repos.getLatestRelease({owner: 'o', repo: 'r'});
    const again = octokit.repos.getLatestRelease({owner: 'o', repo: 'r', headers: {'if-none-match': headers.etag}});
    await expect(again).rejects.toMatchObject({status: 304});
  });

  test('the signal ends a request that hangs', async ({expect}) => {
    await using github = await startGitHub();
    github.answer({}, {fault: 'hang'});
    const caller = new AbortController();
    const octokit = await clientFor(github, undefined, caller.signal);
    const failure = failureOf(octokit.users.getAuthenticated());
    await github.arrival(() => true);
    caller.abort();
    expect((await failure).reason).toBe('timed-out');
  });

  test('a whole address elsewhere is asked without the token', async ({expect}) => {
    await using elsewhere = await startScriptedServer({answer: () => ({body: {}})});
    await using github = await startGitHub({users});
    const octokit = await clientFor(github, 'SECRET456');
    await octokit.request(`GET http://127.0.0.1:${String(elsewhere.port)}/x`);
    expect(elsewhere.requests.map(({headers}) => headers.authorization)).toEqual([undefined]);
  });
});
