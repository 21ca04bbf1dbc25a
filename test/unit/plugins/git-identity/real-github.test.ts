import {join} from 'node:path';
import {describe, test} from 'vitest';
import {github as step} from '../../../../plugins/git-identity/src/github.js';
import {type GitHub, ghEnv, startGitHub, tokenOf, writeGhHosts} from '../../../rig/github.js';
import {requireProgram} from '../../../rig/program.js';
import {
  makeLaunch,
  makeTools,
  makeWorkplace,
  noAnswerOf,
  type RecordingTools,
  reasonOf,
  type Workplace,
} from './workplace.js';

const ANN = {login: 'ann', id: 583_231, name: 'Ann Lee', email: 'ann@example.com'};
const BOB = {login: 'bob', id: 77, name: null, email: 'bob@example.com'};
const EVE = {login: 'eve', id: 78, name: 'Eve', email: null};

const start = () => startGitHub({users: {'token-ann': ANN, 'token-bob': BOB, 'token-eve': EVE}});

const sentTokens = (github: GitHub) => github.requests.map((request) => tokenOf(request));

describe('the GitHub identity from the real gh', () => {
  const withGh = (place: Workplace, github: GitHub, env: Record<string, string>) => {
    const gh = requireProgram('gh', 'gh');
    return makeLaunch(
      {...place.env, PATH: `${place.env['PATH']}:${join(gh, '..')}`, ...ghEnv(github), ...env},
      place.root,
    );
  };

  test('is that of the token in the environment', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    expect(await step.read(withGh(place, github, {GH_ENTERPRISE_TOKEN: 'token-ann'}), makeTools())).toEqual(ANN);
    const bob = await step.read(withGh(place, github, {GH_ENTERPRISE_TOKEN: 'token-bob'}), makeTools());
    expect(bob).toEqual({...BOB, name: 'bob'});
    expect(sentTokens(github)).toEqual(['token-ann', 'token-bob']);
  });

  test('follows an account switch in hosts.yml, which the key sees', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    const configDir = await place.directory('gh');
    const launch = withGh(place, github, {GH_CONFIG_DIR: configDir});
    const accounts = [
      {login: 'ann', token: 'token-ann'},
      {login: 'bob', token: 'token-bob'},
    ] as const;
    await writeGhHosts(configDir, {[github.host]: accounts});
    expect(await step.read(launch, makeTools())).toMatchObject({login: 'ann'});
    const key = step.key(launch);
    expect(step.key(launch)).toEqual(key);
    await writeGhHosts(configDir, {[github.host]: [accounts[1], accounts[0]]});
    expect(step.key(launch)).not.toEqual(key);
    expect(await step.read(launch, makeTools())).toMatchObject({login: 'bob'});
  });

  test('never comes from a token for github.com on another host', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    await noAnswerOf(Promise.resolve(step.read(withGh(place, github, {GH_TOKEN: 'token-ann'}), makeTools())));
    expect(sentTokens(github)).not.toContain('token-ann');
  });

  test('is no answer with the reason, when GitHub refuses or is not there', async ({expect}) => {
    await using place = await makeWorkplace();
    const github = await start();
    const ask = (token: string) =>
      noAnswerOf(Promise.resolve(step.read(withGh(place, github, {GH_ENTERPRISE_TOKEN: token}), makeTools())));
    const failure = (status: number, message: string) => ({status, body: {message}});
    expect(await ask('revoked')).toMatchObject({reason: 'refused'});
    github.answer({path: '/user'}, failure(403, 'Resource not accessible by integration'), 1);
    expect(await ask('token-ann')).toMatchObject({message: 'this token has no user', retryAfter: 3_600_000});
    github.answer({path: '/user'}, failure(403, 'API rate limit exceeded for user ID 1.'), 1);
    expect(await ask('token-ann')).toMatchObject({reason: 'rate-limited'});
    github.answer({path: '/user'}, failure(404, 'Not Found'), 1);
    expect(await ask('token-ann')).toMatchObject({reason: 'not-found'});
    github.answer({path: '/user'}, failure(503, 'Unavailable'), 1);
    expect(await ask('token-ann')).toMatchObject({reason: 'server-error'});
    const page = {status: 200, body: '<html>log in</html>', headers: {server: 'portal', 'content-type': 'text/html'}};
    github.answer({path: '/user'}, page, 1);
    expect(await ask('token-ann')).toMatchObject({reason: 'captive-portal'});
    expect(await ask('token-eve')).toMatchObject({reason: 'malformed', message: 'the account shows no e-mail'});
    const untrusting = withGh(place, github, {GH_ENTERPRISE_TOKEN: 'token-ann', SSL_CERT_FILE: '/dev/null'});
    expect(await reasonOf(Promise.resolve(step.read(untrusting, makeTools())))).toBe('certificate');
    await github[Symbol.asyncDispose]();
    expect(await ask('token-ann')).toMatchObject({reason: 'unreachable'});
  });

  test('is not-logged-in without any account', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    const {GH_HOST: _, ...env} = withGh(place, github, {}).env as Record<string, string>;
    expect(await reasonOf(Promise.resolve(step.read(makeLaunch(env, place.root), makeTools())))).toBe('not-logged-in');
    expect(github.requests).toEqual([]);
  });
});

describe('the GitHub identity without gh', () => {
  const ask = (place: Workplace, github: GitHub, env: Record<string, string>, tools: RecordingTools = makeTools()) => {
    const launch = makeLaunch(
      {...place.env, GH_HOST: github.host, NODE_EXTRA_CA_CERTS: github.certFile, ...env},
      place.root,
    );
    return Promise.resolve(step.read(launch, tools));
  };

  test('is asked of the API with the token for that host', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    const answer = await ask(place, github, {GH_ENTERPRISE_TOKEN: 'token-ann', GH_TOKEN: 'token-bob'});
    expect(answer).toEqual({value: ANN, etag: expect.any(String) as string});
    expect(await ask(place, github, {GITHUB_ENTERPRISE_TOKEN: 'token-bob'})).toMatchObject({
      value: {login: 'bob', name: 'bob'},
    });
    expect(sentTokens(github)).toEqual(['token-ann', 'token-bob']);
    expect(github.requests[0]?.url).toBe('/api/v3/user');
  });

  test('becomes fresh again when GitHub says that nothing changed', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    const env = {GH_ENTERPRISE_TOKEN: 'token-ann'};
    const first = (await ask(place, github, env)) as {value: typeof ANN; etag: string};
    const again = makeTools({etag: first.etag, previous: first.value});
    expect(await ask(place, github, env, again)).toEqual({unchanged: true});
    github.setUser('token-ann', {...ANN, name: 'Ann Lee-Smith'});
    expect(await ask(place, github, env, again)).toMatchObject({value: {name: 'Ann Lee-Smith'}});
  });

  test('is no answer with the reason, when GitHub refuses', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await start();
    const failure = (token: string) => noAnswerOf(ask(place, github, {GH_ENTERPRISE_TOKEN: token}));
    expect(await failure('revoked')).toMatchObject({reason: 'refused'});
    github.answer({path: '/user'}, {status: 403, body: {message: 'Resource not accessible by integration'}}, 1);
    expect(await failure('token-ann')).toMatchObject({message: 'this token has no user', retryAfter: 3_600_000});
    github.answer({path: '/user'}, {status: 429, body: {message: 'slow down'}, headers: {'retry-after': '3000'}}, 1);
    expect(await failure('token-ann')).toMatchObject({reason: 'rate-limited', retryAfter: 3_000_000});
    const page = {status: 200, body: '<html>log in</html>', headers: {server: 'portal', 'content-type': 'text/html'}};
    github.answer({path: '/user'}, page, 1);
    expect(await failure('token-ann')).toMatchObject({reason: 'captive-portal'});
    github.answer({path: '/user'}, {status: 200, body: {id: 1}}, 1);
    expect(await failure('token-ann')).toMatchObject({reason: 'malformed'});
  });
});
