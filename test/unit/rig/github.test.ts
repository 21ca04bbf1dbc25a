import {describe, test} from 'vitest';
import {makeGate} from '../../rig/gate.js';
import {ghEnv, startGitHub, writeGhHosts} from '../../rig/github.js';
import {requireProgram, run} from '../../rig/program.js';
import {makeProject} from '../../rig/project.js';

const ANN = {login: 'ann', id: 583_231, name: 'Ann Lee', email: 'ann@example.com'};
const BOB = {login: 'bob', id: 77, name: null, email: null};

async function startWithGh() {
  const gh = requireProgram('gh', 'gh');
  const github = await startGitHub({users: {'token-ann': ANN, 'token-bob': BOB}, releases: {'o/r': 'v2.0.0'}});
  const project = await makeProject();
  return {
    gh,
    github,
    project,
    ask: (args: readonly string[], env: Record<string, string>) =>
      run([gh, ...args], {cwd: project.dir, env: {...project.env, ...env}}),
    [Symbol.asyncDispose]: async () => {
      await github[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

describe('the GitHub server, asked by the real gh', () => {
  test('answers `gh api user` for the token it was given', async ({expect}) => {
    await using rig = await startWithGh();
    const answer = await rig.ask(['api', 'user'], ghEnv(rig.github, {token: 'token-ann'}));
    expect(answer.stderr).toBe('');
    expect(JSON.parse(answer.stdout)).toMatchObject({...ANN, type: 'User', site_admin: false});
    expect(rig.github.requests.map(({method, url}) => [method, url])).toEqual([['GET', '/api/v3/user']]);
    expect(rig.github.requests[0]?.headers.authorization).toBe('token token-ann');
  });

  test('refuses a token it does not know, and gh exits with 1', async ({expect}) => {
    await using rig = await startWithGh();
    const answer = await rig.ask(['api', 'user'], ghEnv(rig.github, {token: 'revoked'}));
    expect(answer.status).toBe(1);
    expect(answer.stderr).toContain('Bad credentials (HTTP 401)');
  });

  test('is asked without a token when gh has none for it', async ({expect}) => {
    await using rig = await startWithGh();
    const answer = await rig.ask(['api', 'user'], ghEnv(rig.github));
    expect(answer.status).toBe(1);
    expect(answer.stderr).toContain('Requires authentication (HTTP 401)');
    expect(rig.github.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('is not asked when gh knows no host at all: gh exits with 4', async ({expect}) => {
    await using rig = await startWithGh();
    const {GH_HOST: _, ...env} = ghEnv(rig.github);
    expect((await rig.ask(['api', 'user'], env)).status).toBe(4);
    expect(rig.github.requests).toEqual([]);
  });

  test('sees the first of two accounts of hosts.yml, and the other once the file names it', async ({expect}) => {
    await using rig = await startWithGh();
    const configDir = `${rig.project.home}/gh`;
    const accounts = [
      {login: 'ann', token: 'token-ann'},
      {login: 'bob', token: 'token-bob'},
    ] as const;
    const [ann, bob] = accounts;
    const env = ghEnv(rig.github, {configDir});
    await writeGhHosts(configDir, {[rig.github.host]: accounts, 'github.com': [{login: 'ann', token: 'token-dotcom'}]});
    expect(JSON.parse((await rig.ask(['api', 'user'], env)).stdout)).toMatchObject({login: 'ann'});
    expect((await rig.ask(['auth', 'token'], env)).stdout).toBe('token-dotcom\n');
    await writeGhHosts(configDir, {[rig.github.host]: [bob, ann]});
    expect(JSON.parse((await rig.ask(['api', 'user'], env)).stdout)).toMatchObject({login: 'bob', name: null});
  });

  test('gives one scripted answer and then its ordinary one', async ({expect}) => {
    await using rig = await startWithGh();
    const env = ghEnv(rig.github, {token: 'token-ann'});
    const body = {message: 'Resource not accessible by integration'};
    rig.github.answer({token: 'token-ann', path: '/user'}, {status: 403, body}, 1);
    const refused = await rig.ask(['api', 'user'], env);
    expect(refused.stderr).toContain('Resource not accessible by integration (HTTP 403)');
    expect((await rig.ask(['api', 'user'], env)).status).toBe(0);
  });

  test('resets a connection when told to', async ({expect}) => {
    await using rig = await startWithGh();
    rig.github.answer({path: '/user'}, {fault: 'reset'});
    const answer = await rig.ask(['api', 'user'], ghEnv(rig.github, {token: 'token-ann'}));
    expect(answer.status).toBe(1);
    expect(answer.stderr).toMatch(/EOF|connection reset/);
  });

  test('answers a request only when the test lets it', async ({expect}) => {
    await using rig = await startWithGh();
    const gate = makeGate();
    rig.github.answer({path: '/user'}, () => ({body: {login: 'late'}, until: gate.opened}));
    const asked = rig.ask(['api', 'user'], ghEnv(rig.github, {token: 'token-ann'}));
    await rig.github.arrival(({url}) => url.endsWith('/user'));
    gate.open();
    expect((await asked).stdout).toBe('{"login":"late"}');
  });

  test('gives the latest release, at the root and below /api/v3, with the headers of the API', async ({expect}) => {
    await using rig = await startWithGh();
    const env = ghEnv(rig.github, {token: 'token-ann'});
    const answer = await rig.ask(['api', '-i', 'repos/o/r/releases/latest'], env);
    expect(answer.stdout).toContain('"tag_name":"v2.0.0"');
    expect(answer.stdout).toMatch(/^X-Ratelimit-Remaining: 4999\r?$/im);
    expect(answer.stdout).toMatch(/^X-Oauth-Scopes: gist, read:org, repo\r?$/im);
    const absent = await rig.ask(['api', 'repos/o/none/releases/latest'], env);
    expect(absent.stderr).toContain('Not Found (HTTP 404)');
  });

  test('answers 304 for the tag it gave, and charges nothing for it', async ({expect}) => {
    await using rig = await startWithGh();
    const env = ghEnv(rig.github, {token: 'token-ann'});
    const first = await rig.ask(['api', '-i', 'user'], env);
    const etag = /^etag: (.+?)\r?$/im.exec(first.stdout)?.[1] ?? '';
    const second = await rig.ask(['api', '-i', '-H', `If-None-Match: ${etag}`, 'user'], env);
    expect(second.stdout).toMatch(/^HTTP\/1.1 304/);
    expect(second.stdout).toMatch(/^X-Ratelimit-Used: 1\r?$/im);
  });
});
