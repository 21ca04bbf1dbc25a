import {mkdtempSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, describe, expect, it} from 'vitest';
import {at, freePort, node, oneRun} from './one-run.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server of this process: it is no part of what is started. */
const foreignServer = async (port: number): Promise<void> => {
  const server = createServer((_request, response) => response.end('foreign'));
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
};

const server = (port: number, host: string, body = "response.end('ok')"): readonly string[] =>
  node(`require('http').createServer((request, response) => {${body}}).listen(${port}, ${JSON.stringify(host)})`);

describe('localhost is both families (R1)', () => {
  for (const [name, host, answering] of [
    ['127.0.0.1 alone', '127.0.0.1', '127.0.0.1'],
    ['::1 alone', '::1', '[::1]'],
    ['an IPv4 address written as an IPv6 one, as JVMs do', '::ffff:127.0.0.1', '127.0.0.1'],
    ['every address of both families', '::', '[::]'],
    ['every address', '0.0.0.0', '0.0.0.0'],
  ] as const) {
    it(`finds a server on ${name}, and says where it answers`, async () => {
      const port = await freePort();
      const run = await oneRun(server(port, host), [`bound=port:${port}`, `well=http://localhost:${port}/`]);
      expect(run.why).toBeUndefined();
      expect(run.milestones.find((one) => one.name === 'well')?.detail).toContain(`on ${answering}:${port}`);
      expect(at(run, 'bound')).toBeLessThanOrEqual(at(run, 'well'));
    });
  }

  it('takes a Unix socket for a port', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'bootcut-unix-')), 's.sock');
    const run = await oneRun(node(`require('net').createServer().listen(${JSON.stringify(path)})`), [`port:${path}`]);
    expect(run.state).toBe('ok');
  });
});

describe('readiness is tied to what was started (R2)', () => {
  it('(a) fails at once, with its status and the owner of the port, when the target dies of a port in use', async () => {
    const port = await freePort();
    await foreignServer(port);
    const script = `require('net').createServer().on('error', (e) => {console.error(e.code); process.exit(98)}).listen(${port}, '127.0.0.1')`;
    const run = await oneRun(node(script), [`http://127.0.0.1:${port}/`]);
    expect(run.state).toBe('failed');
    expect(run.exit).toBe(98);
    expect(run.why).toContain('ended with status 98 before it was ready');
    expect(run.why).toMatch(/127\.0\.0\.1:\d+ is held by .+, which is not part of what was started/);
    expect(run.lastLines).toContain('EADDRINUSE');
    expect(run.milestones.filter(({source}) => source === 'outside').map(({name}) => name)).toEqual(['exit']);
  });

  it('(b) is never ready by a foreign server while the target lives on another port', async () => {
    const [foreign, own] = [await freePort(), await freePort()];
    await foreignServer(foreign);
    const run = await oneRun(server(own, '127.0.0.1'), [`own=port:${own}`, `wrong=http://localhost:${foreign}/`], {
      limitMs: 3000,
    });
    expect(run.state).toBe('failed');
    expect(run.why).toContain('not part of what was started');
    expect(run.milestones.map(({name}) => name)).not.toContain('wrong');
    at(run, 'own');
  });

  it('(c, C4) tells listening from healthy: 503 is no answer to the question', async () => {
    const port = await freePort();
    const body =
      'if (++globalThis.n < 4 || !globalThis.n) {globalThis.n ||= 1; response.statusCode = 503} response.end()';
    const run = await oneRun(server(port, '127.0.0.1', body), [`up=http://localhost:${port}/`]);
    expect(run.state).toBe('ok');
    expect(at(run, 'up listening')).toBeLessThan(at(run, 'up'));
    expect(run.milestones.find(({name}) => name === 'up')?.slack).toMatchObject({by: 'polled', gapMs: 5});
  });

  it('(d, i) is bounded by redirects and by a server that never answers, and says which it was', async () => {
    const [port, silent] = [await freePort(), await freePort()];
    const looping = "response.writeHead(301, {location: '/'}); response.end()";
    const loop = await oneRun(server(port, '127.0.0.1', looping), [`http://localhost:${port}/`], {limitMs: 2500});
    expect(loop.why).toContain('it answers with status 301 to /');
    const mute = await oneRun(server(silent, '127.0.0.1', ''), [`http://localhost:${silent}/`], {limitMs: 2500});
    expect(mute.why).toContain('it has not answered yet');
    expect(mute.milestones.map(({name}) => name)).toContain(`http://localhost:${silent}/ listening`);
  });

  it('takes an answer that never ends for one, as soon as enough of it is there', async () => {
    const port = await freePort();
    const stream = "response.write('data: up'); setInterval(() => response.write('.'), 50)";
    const conditions = [`http://localhost:${port}/`, `body=http://localhost:${port}/ body=/up[.]{3}/`];
    const run = await oneRun(server(port, '127.0.0.1', stream), conditions, {limitMs: 10_000});
    expect(run.why).toBeUndefined();
  });

  it('sends the user of a URL along, and shows and keeps nothing of it', async () => {
    const port = await freePort();
    const body =
      "const ok = request.headers.authorization === 'Basic ' + btoa('ann:s3cret@x'); response.statusCode = ok ? 200 : 401; response.end()";
    const run = await oneRun(server(port, '127.0.0.1', body), [`http://ann:s3cret%40x@localhost:${port}/`], {
      limitMs: 10_000,
    });
    expect(run.why).toBeUndefined();
    expect(run.milestones.map(({name}) => name)).toContain(`http://localhost:${port}/`);
    expect(JSON.stringify(run)).not.toMatch(/ann|s3cret/);
  });

  it('(e, f) fails with status and last lines when the target ends before it is ready, also with 0', async () => {
    const port = await freePort();
    const zero = await oneRun(['true'], [`port:${port}`]);
    expect(zero).toMatchObject({state: 'failed', exit: 0});
    expect(zero.why).toContain(
      `it ended with status 0 before it was ready; port:${port}: nobody listens on port ${port}`,
    );
    const one = await oneRun(['sh', '-c', 'echo broken config >&2; exit 1'], [`port:${port}`]);
    expect(one).toMatchObject({state: 'failed', exit: 1, lastLines: ['broken config']});
  });

  it('(g) goes on with what the target has left behind when it forks itself away, and ends that too', async () => {
    const port = await freePort();
    const inner = `require('http').createServer((q, r) => r.end()).listen(${port}, '127.0.0.1')`;
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], {detached: true, stdio: 'ignore'}).unref()`;
    const run = await oneRun(node(script), [`port:${port}`]);
    expect(run.state).toBe('ok');
    await foreignServer(port); // throws if it still listened
  });

  it('(h, C5) is not ready while the port is bound and nobody listens', async () => {
    const port = await freePort();
    const script = `import socket, time
s = socket.socket(); s.bind(('127.0.0.1', ${port})); print('bound', flush=True); time.sleep(0.5); s.listen(); time.sleep(60)`;
    const run = await oneRun(['python3', '-c', script], ['bound=log:bound', `listens=port:${port}`]);
    expect(at(run, 'listens') - at(run, 'bound')).toBeGreaterThan(450);
  });
});

describe('an address that the target writes to a file (C2, C3)', () => {
  it('is taken whole, and not from the run before', async () => {
    const [port, old] = [await freePort(), await freePort()];
    await foreignServer(old);
    const directory = mkdtempSync(join(tmpdir(), 'bootcut-address-'));
    const file = join(directory, 'address');
    writeFileSync(file, `http://127.0.0.1:${old}`);
    const script = `const fs = require('fs'); require('http').createServer((q, r) => r.end('ok')).listen(${port}, '127.0.0.1', () => {
      fs.writeFileSync(${JSON.stringify(file)}, 'http://127.0'); setTimeout(() => fs.writeFileSync(${JSON.stringify(file)}, 'http://127.0.0.1:${port}'), 100)})`;
    const run = await oneRun(node(script), [`up=http:@${file}/health body=/ok/`]);
    expect(run.why).toBeUndefined();
    expect(run.milestones.find(({name}) => name === 'up')?.detail).toContain(`http://127.0.0.1:${port}/health`);
  });
});
