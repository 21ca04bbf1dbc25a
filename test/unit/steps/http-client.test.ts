import {once} from 'node:events';
import {createServer} from 'node:http';
import {type AddressInfo, createServer as createTcpServer} from 'node:net';
import {describe, test} from 'vitest';
import {httpClient} from '../../../src/steps/http-client.js';
import {NoAnswer} from '../../../src/steps/no-answer.js';
import {type ScriptedAnswer, startScriptedServer} from '../../rig/scripted-server.js';
import {launchWith} from '../plugins/update-check/launch.js';

const json = {accept: 'application/json'};

/** The NoAnswer a request ends in; anything else fails the test. */
const failureOf = async (request: PromiseLike<unknown>): Promise<NoAnswer> => {
  try {
    await request;
  } catch (error) {
    if (error instanceof NoAnswer) return error;
    throw error;
  }
  throw new Error('there was an answer');
};

const ask = async (answer: ScriptedAnswer): Promise<NoAnswer> => {
  await using server = await startScriptedServer({answer: () => answer});
  const http = await httpClient(launchWith());
  return await failureOf(
    http.get(`http://u:SECRET1@127.0.0.1:${String(server.port)}/x?token=SECRET2`, {headers: json}),
  );
};

describe('httpClient', () => {
  test('an answer comes back with the name of the asker sent', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({body: {fine: true}})});
    const http = await httpClient(launchWith());
    const body = await http.get(`http://127.0.0.1:${String(server.port)}/`).json();
    expect(body).toEqual({fine: true});
    expect(server.requests[0]?.headers['user-agent']).toMatch(/^bootcut\/\d+\.\d+\.\d+/);
  });

  const html = {'content-type': 'text/html; charset=utf-8'};
  const page = '<!doctype html><title>Log in</title>';
  test.for<[string, ScriptedAnswer, string]>([
    ['500', {status: 500}, 'server-error'],
    ['404', {status: 404}, 'not-found'],
    ['401', {status: 401}, 'refused'],
    ['403 without a sign of a limit', {status: 403, headers: {'x-ratelimit-remaining': '12'}}, 'refused'],
    ['403 with nothing left', {status: 403, headers: {'x-ratelimit-remaining': '0'}}, 'rate-limited'],
    ['403 with retry-after', {status: 403, headers: {'retry-after': '3000'}}, 'rate-limited'],
    ['429', {status: 429}, 'rate-limited'],
    ['511', {status: 511, headers: html, body: page}, 'captive-portal'],
    ['a web page', {headers: html, body: page}, 'captive-portal'],
    ['a web page that says it is JSON', {headers: {'content-type': 'application/json'}, body: page}, 'captive-portal'],
    ['half a JSON text', {body: '{"a":'}, 'malformed'],
    ['nothing at all', {body: ''}, 'malformed'],
    ['more than a mebibyte', {body: JSON.stringify('x'.repeat(1_100_000))}, 'malformed'],
    ['a reset connection', {fault: 'reset'}, 'unreachable'],
    ['a body cut off', {fault: 'cut', body: {long: 'x'.repeat(1000)}}, 'unreachable'],
    ['a 407 from nowhere', {status: 407}, 'proxy-unusable'],
    ['a redirect to no address', {status: 302, headers: {location: 'http://['}}, 'malformed'],
  ])('%s is a reason of its own, told without a secret', async ([, answer, reason], {expect}) => {
    const failure = await ask(answer);
    expect(failure.reason).toBe(reason);
    expect(failure.message).toContain('127.0.0.1');
    expect(`${failure.message}${String(failure.stack)}${JSON.stringify(failure)}`).not.toMatch(/SECRET|token=/);
  });

  test('a body without an end is given up', async ({expect}) => {
    const server = createServer((_, response) => {
      const chunk = Buffer.alloc(65_536, ' ');
      const go = (): void => {
        while (response.write(chunk));
      };
      response.on('drain', go);
      go();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = await httpClient(launchWith());
    const failure = await failureOf(http.get(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`));
    server.close();
    expect(failure.reason).toBe('malformed');
    expect(failure.message).toContain('1048576');
  });

  test('a used up limit says when it ends, by the clock of the other side', async ({expect}) => {
    const failure = await ask({
      status: 403,
      headers: {date: new Date(7_000_000).toUTCString(), 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '10600'},
    });
    expect(failure.retryAfter).toBe(3_600_000);
  });

  test('retry-after in seconds becomes milliseconds', async ({expect}) => {
    expect((await ask({status: 403, headers: {'retry-after': '3000'}})).retryAfter).toBe(3_000_000);
  });

  test('a failed request is sent once', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({status: 503, headers: {'retry-after': '0'}})});
    const http = await httpClient(launchWith());
    await failureOf(http.get(`http://127.0.0.1:${String(server.port)}/`));
    expect(server.requests).toHaveLength(1);
  });

  test('a status that the caller expects is an answer', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({status: 404, body: {no: 1}})});
    const http = await httpClient(launchWith());
    const url = `http://127.0.0.1:${String(server.port)}/`;
    expect((await http.get(url, {context: {answers: [401, 404]}})).statusCode).toBe(404);
    expect((await failureOf(http.get(url, {context: {answers: [401]}}))).reason).toBe('not-found');
  });

  test('nobody there is unreachable', async ({expect}) => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    server.close();
    const http = await httpClient(launchWith());
    const failure = await failureOf(http.get(`http://127.0.0.1:${String(port)}/`));
    expect(failure.reason).toBe('unreachable');
    expect(failure.message).toContain('ECONNREFUSED');
  });

  test('the signal of the caller ends a request that hangs', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({fault: 'hang'})});
    const http = await httpClient(launchWith());
    const caller = new AbortController();
    const failure = failureOf(http.get(`http://127.0.0.1:${String(server.port)}/`, {signal: caller.signal}));
    await server.arrival(() => true);
    caller.abort();
    expect((await failure).reason).toBe('timed-out');
  });

  test('something that does not speak HTTP is malformed', async ({expect}) => {
    const server = createTcpServer((socket) => socket.end('220 smtp ready\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = await httpClient(launchWith());
    const failure = await failureOf(http.get(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`));
    server.close();
    expect(failure.reason).toBe('malformed');
  });

  test('Authorization follows a redirect to the same place and no other', async ({expect}) => {
    await using elsewhere = await startScriptedServer({answer: () => ({body: {}})});
    await using server = await startScriptedServer({
      answer: ({url}) => {
        const location = url === '/away' ? `http://127.0.0.1:${String(elsewhere.port)}/storage` : '/here';
        return url === '/here' ? {body: {}} : {status: 307, headers: {location}};
      },
    });
    const http = await httpClient(launchWith());
    const headers = {authorization: 'Bearer SECRET'};
    await http.get(`http://127.0.0.1:${String(server.port)}/away`, {headers});
    await http.get(`http://127.0.0.1:${String(server.port)}/stay`, {headers});
    expect(elsewhere.requests.map((request) => request.headers.authorization)).toEqual([undefined]);
    expect(server.requests.find(({url}) => url === '/here')?.headers.authorization).toBe('Bearer SECRET');
  });

  test('a circle of redirects ends', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({status: 302, headers: {location: '/again'}})});
    const http = await httpClient(launchWith());
    const failure = await failureOf(http.get(`http://127.0.0.1:${String(server.port)}/`));
    expect(failure.reason).toBe('malformed');
    expect(server.requests).toHaveLength(6);
  });

  test('a redirect to a log-in page is a captive portal', async ({expect}) => {
    await using portal = await startScriptedServer({answer: () => ({headers: html, body: page})});
    const location = `http://127.0.0.1:${String(portal.port)}/login?from=SECRET2`;
    expect((await ask({status: 302, headers: {location}})).reason).toBe('captive-portal');
  });
});
