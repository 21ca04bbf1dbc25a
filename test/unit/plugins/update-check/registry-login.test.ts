import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type Launch, NoAnswer, type ReadTools} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/update-check/src/index.js';
import {type FakeRegistry, registryError, startFakeRegistry} from '../../../rig/fake-registry.js';
import {type RecordedRequest, startScriptedServer} from '../../../rig/scripted-server.js';
import {launchWith, toolsWith} from './launch.js';

const [image] = plugin.steps;
const manifest = {schemaVersion: 2, layers: []};
const login = Buffer.from('ann:SECRET789').toString('base64');

const read = async (registry: FakeRegistry, env: Launch['env'] = {}, tools: Partial<ReadTools> = {}) =>
  await image.read(launchWith({item: `${registry.host}/a/b:v1`, env}), toolsWith(tools));

const refusalOf = async (reading: Promise<unknown>): Promise<NoAnswer> => {
  const error: unknown = await reading.then(
    () => new Error('there was an answer'),
    (reason: unknown) => reason,
  );
  if (error instanceof NoAnswer) return error;
  throw error;
};

/** A docker configuration with a login for this registry, and the variable that names it. */
const withLogin = async (host: string, auth: string = login) => {
  const directory = await mkdtemp(join(tmpdir(), 'bootcut-docker-'));
  await writeFile(join(directory, 'config.json'), JSON.stringify({auths: {[host]: {auth}}}));
  return {env: {DOCKER_CONFIG: directory}, [Symbol.asyncDispose]: () => rm(directory, {recursive: true})};
};

const authorizations = (requests: readonly RecordedRequest[], path: RegExp): readonly (string | undefined)[] =>
  requests.filter(({url}) => path.test(url)).map(({headers}) => headers.authorization);

describe('a registry that wants to be asked with a token', () => {
  const bearer = 'Bearer realm="REALM",service="s",scope="repository:a/b:pull,push"';
  test.for<[string, string | readonly string[]]>([
    ['alone', bearer],
    ['behind Basic in one header', `Basic realm="x", ${bearer}`],
    ['in front of Basic', `${bearer}, Basic realm="x, y"`],
    ['in a header line of its own', ['Basic realm="x"', bearer]],
    ['in lower case', 'bearer realm="REALM",service="s",scope="repository:a/b:pull,push"'],
    ['with blanks', 'Bearer  realm = "REALM" , service = "s" , scope = "repository:a/b:pull,push"'],
    ['with an escaped quote', `Basic realm="a \\"b\\", Bearer realm=\\"http://127.0.0.1:1/no\\"", ${bearer}`],
    ['with unquoted values', 'Bearer realm=REALM,service=s,scope="repository:a/b:pull,push"'],
  ])('is given one when its challenge is %s', async ([, challenge], {expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken({challenge});
    expect(await read(registry)).toMatchObject({digest});
    const token = registry.requests.find(({url}) => url.startsWith('/token'));
    const query = new URL(token?.url ?? '', registry.origin).searchParams;
    expect([query.get('service'), query.getAll('scope')]).toEqual(['s', ['repository:a/b:pull,push']]);
    expect(token?.headers.authorization).toBeUndefined();
  });

  test('may call it access_token', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken({field: 'access_token'});
    expect(await read(registry)).toMatchObject({digest});
  });

  test('is asked for pulling alone when it names no scope', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken({challenge: 'Bearer realm="REALM?x=1"'});
    await read(registry);
    expect(registry.requests[1]?.url).toBe('/token?x=1&scope=repository%3Aa%2Fb%3Apull');
  });

  test.for([400, 401])(
    'gets a new one when it refuses the first by %i without a challenge',
    async (status, {expect}) => {
      await using registry = await startFakeRegistry();
      const digest = registry.serve('a/b', 'v1', {body: manifest, digestHeader: null});
      registry.requireToken();
      const previous = {digest: `sha256:${'0'.repeat(64)}`, platforms: []};
      let isOver = false;
      registry.answer(
        {method: 'GET', path: '/v2/a/b/manifests/v1'},
        () => {
          isOver = true;
          return registryError(status, 'UNAUTHORIZED', 'token is over');
        },
        1,
      );
      expect(await read(registry, {}, {previous})).toMatchObject({digest});
      expect(isOver).toBe(true);
      expect(authorizations(registry.requests, /^\/token/)).toHaveLength(2);
      const [one, two, three, four] = authorizations(registry.requests, /^\/v2/);
      expect([one, two === three, three === four]).toEqual([undefined, true, false]);
    },
  );

  test.for([400, 401, 403])('and refuses every token by %i is left alone after one', async (status, {expect}) => {
    await using registry = await startFakeRegistry();
    registry.requireToken();
    registry.answer({path: '/v2/a/b/manifests/v1'}, ({headers}) =>
      headers.authorization === undefined
        ? {status: 401, headers: {'www-authenticate': `Bearer realm="${registry.origin}/token"`}}
        : {status},
    );
    expect((await refusalOf(read(registry))).reason).toBe('refused');
    expect(registry.requests.map(({url}) => url.split('?')[0])).toEqual([
      '/v2/a/b/manifests/v1',
      '/token',
      '/v2/a/b/manifests/v1',
    ]);
  });

  test.for<[string, object, string]>([
    ['no token', {body: {token: ''}}, 'refused'],
    ['one with a line break', {body: {token: 'a\r\nx-evil: 1'}}, 'refused'],
    ['null', {body: 'null'}, 'refused'],
    ['a refusal', {status: 401}, 'refused'],
    ['a log-in page', {body: '<html>', headers: {'content-type': 'text/html'}}, 'captive-portal'],
    ['trouble', {status: 503}, 'server-error'],
    ['too many questions', {status: 429}, 'rate-limited'],
  ])('has no answer when its token server gives %s', async ([, answer, reason], {expect}) => {
    await using registry = await startFakeRegistry();
    registry.requireToken();
    registry.answer({path: '/token'}, answer);
    expect((await refusalOf(read(registry))).reason).toBe(reason);
  });

  test.for(['Bearer realm="/token"', 'Bearer realm="file:///etc/passwd"', 'Bearer service="s"', 'Digest realm="x"'])(
    'has no answer when its challenge leads nowhere: %s',
    async (challenge, {expect}) => {
      await using registry = await startFakeRegistry();
      registry.requireToken({challenge});
      expect((await refusalOf(read(registry))).reason).toBe('refused');
      expect(registry.requests).toHaveLength(1);
    },
  );
});

describe('a stored login', () => {
  test('is sent only after the registry asks for one', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a/b', 'v1', {body: manifest});
    await using docker = await withLogin(registry.host);
    await read(registry, docker.env);
    expect(authorizations(registry.requests, /./)).toEqual([undefined]);
  });

  test('buys a token at the registry itself', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken();
    await using docker = await withLogin(`https://${registry.host}/v1/`);
    await read(registry, docker.env);
    expect(authorizations(registry.requests, /^\/token/)).toEqual([`Basic ${login}`]);
    expect(authorizations(registry.requests, /^\/v2/).join()).not.toContain(login);
  });

  test('is sent as it is to a registry that knows only Basic', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({}, ({headers}) =>
      headers.authorization === `Basic ${login}`
        ? {body: manifest}
        : {status: 401, headers: {'www-authenticate': 'Basic realm="x"'}},
    );
    await using docker = await withLogin(registry.host);
    expect(await read(registry, docker.env)).toMatchObject({platforms: [expect.any(String)]});
    expect(registry.requests).toHaveLength(2);
  });

  test('goes to no realm on another host', async ({expect}) => {
    await using other = await startScriptedServer({answer: () => ({body: {token: 'for-nobody'}})});
    await using registry = await startFakeRegistry();
    registry.answer({}, ({headers}) =>
      headers.authorization === 'Bearer for-nobody'
        ? {body: manifest}
        : {status: 401, headers: {'www-authenticate': `Bearer realm="http://127.0.0.1:${String(other.port)}/t"`}},
    );
    await using docker = await withLogin(registry.host);
    await read(registry, docker.env);
    expect(authorizations(other.requests, /./)).toEqual([undefined]);
    expect(authorizations(registry.requests, /./)).toEqual([undefined, 'Bearer for-nobody']);
  });

  test('of another registry stays at home', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken();
    await using docker = await withLogin('ghcr.io');
    await read(registry, docker.env);
    expect(authorizations(registry.requests, /^\/token/)).toEqual([undefined]);
  });

  test('that was revoked gives way to nobody, once', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken();
    registry.answer({path: '/token'}, ({headers}) =>
      headers.authorization === undefined ? {body: {token: 'for-nobody'}} : {status: 401},
    );
    registry.answer({path: /^\/v2/}, ({headers}) =>
      headers.authorization === 'Bearer for-nobody'
        ? {body: manifest}
        : {status: 401, headers: {'www-authenticate': `Bearer realm="${registry.origin}/token"`}},
    );
    await using docker = await withLogin(registry.host);
    expect(await read(registry, docker.env)).toMatchObject({digest});
    expect(authorizations(registry.requests, /^\/token/)).toEqual([`Basic ${login}`, undefined]);
  });

  test('that may not read what everybody may gives way to nobody', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({path: '/token'}, ({headers}) => ({
      body: {token: headers.authorization === undefined ? 'for-nobody' : 'for-ann'},
    }));
    registry.answer({path: /^\/v2/}, ({headers}) => {
      if (headers.authorization === 'Bearer for-nobody') return {body: manifest};
      if (headers.authorization === 'Bearer for-ann') return {status: 403};
      return {status: 401, headers: {'www-authenticate': `Bearer realm="${registry.origin}/token"`}};
    });
    await using docker = await withLogin(registry.host);
    expect(await read(registry, docker.env)).toMatchObject({platforms: [expect.any(String)]});
  });

  test('is no part of the answer, of the key or of what is said when it fails', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken();
    await using docker = await withLogin(registry.host);
    const launch = launchWith({item: `${registry.host}/a/b:v1`, env: docker.env});
    const answer = await image.read(launch, toolsWith());
    registry.answer({path: '/token'}, {status: 500});
    const failure = await refusalOf(read(registry, docker.env));
    const told = [answer, image.key(launch), failure, failure.message, failure.stack, failure.cause];
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`SECRET|${login}|Bearer `));
  });

  test('is part of what the answer depends on', async ({expect}) => {
    await using one = await withLogin('ghcr.io');
    await using two = await withLogin('ghcr.io', Buffer.from('ben:SECRET').toString('base64'));
    const keyWith = (env: Launch['env'], item = 'ghcr.io/a/b') => JSON.stringify(image.key(launchWith({item, env})));
    expect(new Set([keyWith({}), keyWith(one.env), keyWith(two.env)]).size).toBe(3);
    expect(keyWith(one.env, 'quay.io/a/b')).toBe(keyWith({}, 'quay.io/a/b'));
  });

  test.for([
    '',
    '{',
    '[]',
    'null',
    '{"auths":[]}',
    '{"auths":{"HOST":null}}',
    '{"auths":{"HOST":{"auth":5}}}',
    '{"auths":{"HOST":{}}}',
    '{"auths":{"HOST":{"auth":"bm9jb2xvbg=="}}}',
  ])('that cannot be read counts as none: %s', async (text, {expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: manifest});
    registry.requireToken();
    await using docker = await withLogin('unused');
    await writeFile(join(docker.env.DOCKER_CONFIG, 'config.json'), text.replace('HOST', registry.host));
    expect(await read(registry, docker.env)).toMatchObject({digest});
    expect(authorizations(registry.requests, /^\/token/)).toEqual([undefined]);
  });
});

describe('a registry that sends on to its storage', () => {
  test('shows the storage no Authorization, and its digest counts', async ({expect}) => {
    await using storage = await startScriptedServer({answer: () => ({body: manifest})});
    await using registry = await startFakeRegistry();
    registry.requireToken();
    const location = `http://127.0.0.1:${String(storage.port)}/blob?sig=SECRET`;
    registry.answer({path: /^\/v2/}, ({headers}) =>
      headers.authorization === undefined
        ? {status: 401, headers: {'www-authenticate': `Bearer realm="${registry.origin}/token"`}}
        : {status: 307, headers: {location}},
    );
    expect(await read(registry)).toMatchObject({platforms: [expect.any(String)]});
    expect(authorizations(storage.requests, /./)).toEqual([undefined]);
  });

  test('cannot have the storage ask for the login', async ({expect}) => {
    await using registry = await startFakeRegistry();
    await using storage = await startScriptedServer({
      answer: () => ({status: 401, headers: {'www-authenticate': 'Basic realm="give"'}}),
    });
    registry.answer({}, {status: 307, headers: {location: `http://127.0.0.1:${String(storage.port)}/blob?sig=SECRET`}});
    await using docker = await withLogin(registry.host);
    const failure = await refusalOf(read(registry, docker.env));
    expect([failure.reason, failure.message.includes('SECRET')]).toEqual(['refused', false]);
    expect(authorizations([...storage.requests, ...registry.requests], /./)).toEqual([undefined, undefined]);
  });
});
