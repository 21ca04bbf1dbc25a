import {describe, test} from 'vitest';
import {indexOf, startFakeRegistry} from '../../rig/fake-registry.js';

const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, {method, redirect: 'manual', headers: {connection: 'close', ...headers}});

describe('the scripted registry', () => {
  test('serves a manifest with, without and with a wrong digest header', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const body = indexOf({'linux/amd64': 'sha256:aa', 'linux/arm64': 'sha256:bb'});
    const digest = registry.serve('a/b', 'right', {body});
    registry.serve('a/b', 'none', {body, digestHeader: null});
    registry.serve('a/b', 'wrong', {body, digestHeader: 'sha256:00'});
    const headers = await Promise.all(
      ['right', 'none', 'wrong'].map((tag) => get(`${registry.origin}/v2/a/b/manifests/${tag}`)),
    );
    expect(headers.map((answer) => answer.headers.get('docker-content-digest'))).toEqual([digest, null, 'sha256:00']);
    expect(registry.requests.map(({url}) => url)).toEqual([
      '/v2/a/b/manifests/right',
      '/v2/a/b/manifests/none',
      '/v2/a/b/manifests/wrong',
    ]);
  });

  test('asks for a token, gives one, and takes it until it expires', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a', 'latest', {body: '{}'});
    registry.requireToken({field: 'access_token', expiresIn: 60});
    const url = `${registry.origin}/v2/a/manifests/latest`;
    const refused = await get(url);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="${registry.origin}/token",service="${registry.host}",scope="repository:a:pull"`,
    );
    const {access_token: token} = (await (await get(`${registry.origin}/token?service=s`)).json()) as {
      access_token: string;
    };
    const authorization = `Bearer ${token}`;
    expect((await get(url, {authorization})).status).toBe(200);
    registry.expireTokens();
    expect((await get(url, {authorization})).status).toBe(401);
  });

  test('can send two challenges in two header lines, or a 401 without any', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.requireToken({challenge: ['Basic realm="x"', 'bearer realm=REALM']});
    const url = `${registry.origin}/v2/a/manifests/latest`;
    expect((await get(url)).headers.get('www-authenticate')).toBe(
      `Basic realm="x", bearer realm=${registry.origin}/token`,
    );
    registry.requireToken({challenge: null});
    const bare = await get(url);
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, null]);
  });

  test('redirects to another port, which records what it is sent', async ({expect}) => {
    await using storage = await startFakeRegistry();
    await using registry = await startFakeRegistry();
    storage.answer({}, {body: 'blob'});
    registry.answer({path: /manifests/}, {status: 307, headers: {location: `${storage.origin}/blob`}});
    const answer = await get(`${registry.origin}/v2/a/manifests/latest`, {authorization: 'Bearer t'});
    await get(answer.headers.get('location') ?? '');
    expect(storage.requests[0]?.headers.authorization).toBeUndefined();
    expect(registry.requests[0]?.headers.authorization).toBe('Bearer t');
  });

  test('refuses HEAD while GET works, fails, limits, and resets, each as often as told', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a', 'latest', {body: '{}'});
    const url = `${registry.origin}/v2/a/manifests/latest`;
    registry.answer({method: 'HEAD'}, {status: 405});
    registry.answer({method: 'GET'}, {status: 500}, 1);
    registry.answer({method: 'GET'}, {status: 429, headers: {'retry-after': '3000'}}, 1);
    registry.answer({method: 'GET'}, {fault: 'reset'}, 1);
    await expect(get(url)).rejects.toThrow('fetch failed');
    const statuses = [await get(url), await get(url), await get(url), await get(url, {}, 'HEAD')];
    expect(statuses.map(({status}) => status)).toEqual([429, 500, 200, 405]);
  });

  test('lets a hanging client go at dispose', async ({expect}) => {
    const registry = await startFakeRegistry();
    registry.answer({}, {fault: 'hang'});
    const asked = expect(get(`${registry.origin}/v2/`)).rejects.toThrow('fetch failed');
    await registry.arrival(() => true);
    await registry[Symbol.asyncDispose]();
    await asked;
  });
});
