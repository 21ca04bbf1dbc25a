import {once} from 'node:events';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {httpClient} from '../../../src/steps/http-client.js';
import {noProxyCovers} from '../../../src/steps/http-no-proxy.js';
import {proxyFor} from '../../../src/steps/http-proxy.js';
import {NoAnswer} from '../../../src/steps/no-answer.js';
import {makeCertificate} from '../../rig/certificate.js';
import {startScriptedServer} from '../../rig/scripted-server.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {startFarHost} from '../plugins/update-check/far-host.js';
import {launchWith} from '../plugins/update-check/launch.js';
import {startProxy} from '../plugins/update-check/proxy.js';

type Environment = Readonly<Record<string, string>>;

const failureOf = async (request: PromiseLike<unknown>): Promise<NoAnswer> => {
  try {
    await request;
  } catch (error) {
    if (error instanceof NoAnswer) return error;
    throw error;
  }
  throw new Error('there was an answer');
};

const get = async (env: Environment, url: string) => await (await httpClient(launchWith({env}))).get(url);

describe('which proxy is taken', () => {
  test.for<[string, Environment, string | undefined]>([
    ['https://h/', {}, undefined],
    ['https://h/', {HTTPS_PROXY: 'http://p:1'}, 'http://p:1/'],
    ['https://h/', {https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1'}, 'http://lower:1/'],
    ['https://h/', {HTTP_PROXY: 'http://p:1'}, undefined],
    ['https://h/', {ALL_PROXY: 'http://p:1'}, 'http://p:1/'],
    ['http://h/', {all_proxy: 'http://p:1'}, 'http://p:1/'],
    ['http://h/', {HTTPS_PROXY: 'http://p:1'}, undefined],
    ['http://h/', {HTTP_PROXY: 'http://p:1'}, 'http://p:1/'],
    ['http://h/', {HTTP_PROXY: 'http://p:1', REQUEST_METHOD: 'GET'}, undefined],
    ['http://h/', {http_proxy: 'http://p:1', REQUEST_METHOD: 'GET'}, 'http://p:1/'],
    ['https://h/', {HTTPS_PROXY: '', ALL_PROXY: 'http://p:1'}, 'http://p:1/'],
    ['https://h/', {HTTPS_PROXY: 'p:3128'}, 'http://p:3128/'],
    ['https://h/', {HTTPS_PROXY: 'https://p'}, 'https://p/'],
    ['https://h/', {HTTPS_PROXY: 'http://p:1', NO_PROXY: 'x,h'}, undefined],
    ['https://h/', {HTTPS_PROXY: 'http://p:1', no_proxy: 'h'}, undefined],
    ['https://h/', {HTTPS_PROXY: 'socks5://p:1', NO_PROXY: 'h'}, undefined],
  ])('%s with %j', ([url, env, proxy], {expect}) => {
    expect(proxyFor(env, new URL(url))?.url.href).toBe(proxy);
  });

  test.for(['socks5://u:SECRET000@p:1080', 'socks4a://p', 'http://u:SECRET000@[', 'http://', 'ftp://p'])(
    'one that cannot be used is said and not gone around: %s',
    async (value, {expect}) => {
      await using server = await startScriptedServer({answer: () => ({body: {}})});
      const failure = await failureOf(get({http_proxy: value}, `http://127.0.0.1:${String(server.port)}/`));
      expect(failure.reason).toBe('proxy-unusable');
      expect(failure.message).toMatch(/^http_proxy names /);
      expect(failure.message).not.toContain('SECRET');
      expect(server.requests).toHaveLength(0);
    },
  );
});

describe('noProxyCovers', () => {
  test.for<[string, string, boolean]>([
    ['*', 'https://any.example', true],
    ['example', 'https://example', true],
    ['example', 'https://a.b.example', true],
    ['.example', 'https://a.example', true],
    ['.example', 'https://example', true],
    ['*.example', 'https://a.example', true],
    ['example', 'https://badexample', false],
    ['example', 'https://example.org', false],
    ['EXAMPLE', 'https://Example.', true],
    ['a,b c\td', 'https://c', true],
    [' , ,', 'https://c', false],
    ['', 'https://c', false],
    ['.', 'https://c', false],
    ['c:8443', 'https://c:8443', true],
    ['c:8443', 'https://c', false],
    ['c:443', 'https://c', true],
    ['c:80', 'http://c', true],
    ['127.0.0.1', 'http://127.0.0.1:99', true],
    ['27.0.0.1', 'http://127.0.0.1', false],
    ['0.0.1', 'http://127.0.0.1', false],
    ['127.0.0.1:99', 'http://127.0.0.1:99', true],
    ['127.0.0.1:98', 'http://127.0.0.1:99', false],
    ['10.0.0.0/8', 'http://10.200.1.1', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.0/33', 'http://10.0.0.1', false],
    ['10.0.0.0/', 'http://10.0.0.1', false],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['fd00::/8', 'http://10.0.0.1', false],
    ['::1', 'http://[::1]:5000', true],
    ['[::1]', 'http://[::1]', true],
    ['[::1]:5000', 'http://[::1]:5000', true],
    ['[::1]:5001', 'http://[::1]:5000', false],
    ['0:0:0:0:0:0:0:1', 'http://[::1]', true],
    ['10.0.0.0/8', 'http://ten.example', false],
  ])('%j and %s: %s', ([list, url, expected], {expect}) => {
    expect(noProxyCovers(list, new URL(url))).toBe(expected);
  });
});

describe('a request through a proxy', () => {
  test('in plain HTTP names the whole address, and the password stays between us and the proxy', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({body: {fine: true}})});
    await using proxy = await startProxy();
    const url = `http://127.0.0.1:${String(server.port)}/x?y=1`;
    const response = await get({http_proxy: `http://ann:SECRET%40000@${proxy.host}`}, url);
    expect(response.body).toBe('{"fine":true}');
    expect(proxy.asked).toEqual([`GET ${url}`]);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('ann:SECRET@000').toString('base64')}`]);
    expect(server.requests[0]?.headers['proxy-authorization']).toBeUndefined();
    expect(server.requests[0]?.headers.host).toBe(`127.0.0.1:${String(server.port)}`);
  });

  test('in HTTPS goes through a tunnel, with TLS end to end', async ({expect}) => {
    await using far = await startFarHost(['far.example'], () => ({body: 'fine'}));
    expect((await get(far.env, 'https://far.example/x')).body).toBe('fine');
    expect(far.asked).toEqual(['CONNECT far.example:443']);
    expect(far.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('for another name than the certificate says has no answer', async ({expect}) => {
    await using far = await startFarHost(['far.example'], () => ({body: 'fine'}));
    expect((await failureOf(get(far.env, 'https://other.example/'))).reason).toBe('certificate');
  });

  test('to a host in NO_PROXY goes there directly', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({body: {}})});
    await using proxy = await startProxy();
    const env = {http_proxy: `http://${proxy.host}`, NO_PROXY: '127.0.0.1,localhost,.example'};
    await get(env, `http://127.0.0.1:${String(server.port)}/`);
    expect([proxy.asked.length, server.requests.length]).toEqual([0, 1]);
  });

  test('is decided for each redirect anew', async ({expect}) => {
    await using near = await startScriptedServer({answer: () => ({body: 'near'})});
    await using proxy = await startProxy();
    await using first = await startScriptedServer({
      answer: () => ({status: 302, headers: {location: `http://localhost:${String(near.port)}/`}}),
    });
    const env = {http_proxy: `http://${proxy.host}`, no_proxy: 'localhost'};
    expect((await get(env, `http://127.0.0.1:${String(first.port)}/`)).body).toBe('near');
    expect(proxy.asked).toHaveLength(1);
  });

  test('does not carry Authorization from plain HTTP over to HTTPS of the same name', async ({expect}) => {
    await using far = await startFarHost(['far.example'], () => ({body: 'fine'}));
    await using plain = await startScriptedServer({
      answer: () => ({status: 301, headers: {location: 'https://far.example/'}}),
    });
    await using proxy = await startProxy({to: plain.port});
    const http = await httpClient(launchWith({env: {...far.env, http_proxy: `http://${proxy.host}`}}));
    await http.get('http://far.example/', {headers: {authorization: 'Bearer SECRET'}});
    expect(plain.requests[0]?.headers.authorization).toBe('Bearer SECRET');
    expect(far.requests.map(({headers}) => headers.authorization)).toEqual([undefined]);
  });

  test('reaches a proxy that itself speaks TLS', async ({expect}) => {
    await using far = await startFarHost(['far.example'], () => ({body: 'fine'}));
    const directory = await temporaryDirectory('proxy');
    const certificate = await makeCertificate(directory);
    await using proxy = await startProxy({to: far.port, tls: certificate});
    const bundle = join(directory, 'both.pem');
    await writeFile(bundle, `${certificate.cert}${await readFile(far.env['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8')}`);
    const env = {HTTPS_PROXY: `https://u:SECRET@localhost:${proxy.host.split(':')[1] ?? ''}`, SSL_CERT_FILE: bundle};
    expect((await get(env, 'https://far.example/')).body).toBe('fine');
    expect(proxy.asked).toEqual(['CONNECT far.example:443']);
    const failure = await failureOf(get({...env, SSL_CERT_FILE: ''}, 'https://far.example/'));
    expect(failure.reason).toBe('proxy-unusable');
    await rm(directory, {recursive: true});
  });

  test.for<[number, string]>([
    [407, 'proxy-unusable'],
    [403, 'proxy-unusable'],
    [502, 'unreachable'],
    [504, 'unreachable'],
  ])('whose tunnel is refused by %i is %s', async ([status, reason], {expect}) => {
    await using proxy = await startProxy({status});
    const failure = await failureOf(get({HTTPS_PROXY: `http://u:SECRET@${proxy.host}`}, 'https://far.example/?SECRET'));
    expect(failure.reason).toBe(reason);
    expect(failure.message).not.toContain('SECRET');
    expect(proxy.asked).toEqual(['CONNECT far.example:443']);
  });

  test('that wants other credentials for plain HTTP is unusable', async ({expect}) => {
    await using proxy = await startProxy({status: 407});
    const failure = await failureOf(get({http_proxy: `http://${proxy.host}`}, 'http://far.example/'));
    expect(failure.reason).toBe('proxy-unusable');
  });

  test.for(['http://far.example/', 'https://far.example/'])(
    'that is not there is unusable: %s',
    async (url, {expect}) => {
      const {host} = await (async () => {
        await using gone = await startProxy();
        return gone;
      })();
      const failure = await failureOf(get({ALL_PROXY: `http://u:SECRET@${host}`}, url));
      expect(failure.reason).toBe('proxy-unusable');
      expect(failure.message).toContain('ALL_PROXY');
      expect(failure.message).not.toContain('SECRET');
    },
  );

  test.for(['http://far.example/', 'https://far.example/'])(
    'that hangs ends with the signal of the caller, and so does the connection: %s',
    async (url, {expect}) => {
      const proxy = createServer().listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const caller = new AbortController();
      const env = {ALL_PROXY: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`};
      const http = await httpClient(launchWith({env}));
      const failure = failureOf(http.get(url, {signal: caller.signal}));
      const [socket] = (await once(proxy, 'connection')) as [Socket];
      await once(socket, 'data');
      const end = once(socket, 'close');
      caller.abort();
      expect((await failure).reason).toBe('timed-out');
      await end;
      proxy.close();
    },
  );

  test("this process's own variables count for nothing", async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({body: 'direct'})});
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:9';
    try {
      expect((await get({}, `http://127.0.0.1:${String(server.port)}/`)).body).toBe('direct');
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
  });
});
