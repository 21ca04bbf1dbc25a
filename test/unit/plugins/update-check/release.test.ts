import {type Launch, NoAnswer, type ReadTools} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/update-check/src/index.js';
import {type GitHub, startGitHub} from '../../../rig/github.js';
import {startFarHost} from './far-host.js';
import {launchWith, toolsWith} from './launch.js';

const [, release] = plugin.steps;

const launchFor = (github: GitHub, env: Launch['env'] = {}, item = 'o/r'): Launch =>
  launchWith({item, settings: {githubApi: `${github.url}/api/v3/`}, env: {SSL_CERT_FILE: github.certFile, ...env}});

const refusalOf = async (reading: PromiseLike<unknown>): Promise<NoAnswer> => {
  try {
    await reading;
  } catch (error) {
    if (error instanceof NoAnswer) return error;
    throw error;
  }
  throw new Error('there was an answer');
};

describe('the release step', () => {
  test('gives the tag of the latest release, and the ETag to be stored with it', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1.2.3'}});
    const answer = await release.read(launchFor(github), toolsWith());
    expect(answer).toEqual({value: {tag: 'v1.2.3'}, etag: expect.stringMatching(/^W\//)});
  });

  test('asks with the ETag next time, and is told that nothing has changed', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1.2.3'}});
    const {etag} = (await release.read(launchFor(github), toolsWith())) as {etag: string};
    const tools: Partial<ReadTools> = {etag, previous: {tag: 'v1.2.3'}};
    expect(await release.read(launchFor(github), toolsWith(tools))).toEqual({unchanged: true});
    github.setRelease('o/r', 'v1.2.4');
    expect(await release.read(launchFor(github), toolsWith(tools))).toMatchObject({value: {tag: 'v1.2.4'}});
  });

  test('asks for everything when the ETag has no answer beside it', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1.2.3'}});
    const {etag} = (await release.read(launchFor(github), toolsWith())) as {etag: string};
    expect(await release.read(launchFor(github), toolsWith({etag}))).toMatchObject({value: {tag: 'v1.2.3'}});
  });

  test('no release is an answer too', async ({expect}) => {
    await using github = await startGitHub();
    expect(await release.read(launchFor(github), toolsWith())).toEqual({tag: null});
  });

  test('a token for github.com goes to no other host', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1.2.3'}});
    await release.read(launchFor(github, {GH_TOKEN: 'SECRET456', GITHUB_TOKEN: 'SECRET457'}), toolsWith());
    expect(github.requests.map(({headers}) => headers.authorization)).toEqual([undefined]);
  });

  test('a token goes to github.com', async ({expect}) => {
    await using far = await startFarHost(['api.github.com'], () => ({body: {tag_name: 'v1.0.0'}}));
    const launch = launchWith({item: 'o/r', env: {...far.env, GH_TOKEN: 'SECRET456', GITHUB_TOKEN: 'SECRET457'}});
    expect(await release.read(launch, toolsWith())).toEqual({tag: 'v1.0.0'});
    expect(far.asked).toEqual(['CONNECT api.github.com:443']);
    expect(far.requests.map(({url, headers}) => [url, headers.authorization])).toEqual([
      ['/repos/o/r/releases/latest', 'token SECRET456'],
    ]);
  });

  test('a token that has run out gives way to nobody, once', async ({expect}) => {
    await using far = await startFarHost(['api.github.com'], ({headers}) =>
      headers.authorization === undefined
        ? {body: {tag_name: 'v1.0.0'}}
        : {status: 401, body: {message: 'Bad credentials'}},
    );
    const launch = launchWith({item: 'o/r', env: {...far.env, GITHUB_TOKEN: 'SECRET456'}});
    expect(await release.read(launch, toolsWith())).toEqual({tag: 'v1.0.0'});
    expect(far.requests).toHaveLength(2);
  });

  test.for<[string, object, string]>([
    [
      'the limit',
      {status: 403, headers: {'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999'}},
      'rate-limited',
    ],
    ['the secondary limit', {status: 403, body: {message: 'You have exceeded a secondary rate limit'}}, 'rate-limited'],
    ['a refusal', {status: 403, body: {message: 'Resource not accessible by integration'}}, 'refused'],
    ['trouble', {status: 502, body: 'bad', headers: {server: 'x'}}, 'server-error'],
    ['a log-in page', {body: '<html>', headers: {server: 'x', 'content-type': 'text/html'}}, 'captive-portal'],
    ['a release without a tag', {body: {name: 'v1'}}, 'malformed'],
    ['a tag that would break out of the notice', {body: {tag_name: 'v1\n==> sudo'}}, 'malformed'],
  ])('has no answer, and says why, after %s', async ([, answer, reason], {expect}) => {
    await using github = await startGitHub();
    github.answer({}, answer);
    const failure = await refusalOf(Promise.resolve(release.read(launchFor(github), toolsWith())));
    expect(failure.reason).toBe(reason);
    expect(github.requests).toHaveLength(1);
  });

  test('what is no repository is said once and not sent', async ({expect}) => {
    for (const item of ['o', 'o/r/s', '../x', 'o/..', 'o/r?x=1']) {
      const failure = await refusalOf(Promise.resolve(release.read(launchWith({item}), toolsWith())));
      expect([failure.reason, (failure.retryAfter ?? 0) > 0]).toEqual(['malformed', true]);
    }
  });
});
