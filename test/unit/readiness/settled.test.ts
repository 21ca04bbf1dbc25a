import {describe, expect, it} from 'vitest';
import {connectUrl} from '../../../src/readiness/connect-url.js';
import {listFrom} from '../../../src/readiness/observed-list.js';
import {at, freePort, node, oneRun} from './one-run.js';

describe('settled, as a condition', () => {
  it('counts from the last change of the output, and the quiet time is no part of it', async () => {
    const script = "console.log('a'); setTimeout(() => console.log('b'), 300); setTimeout(() => {}, 60000)";
    const run = await oneRun(node(script), ['first=log:a', 'settled=settled:output quiet=600ms']);
    const apart = at(run, 'settled') - at(run, 'first');
    expect(apart).toBeGreaterThan(250);
    expect(apart).toBeLessThan(600);
  });

  it('looks at the list that a target puts into its timeline, without live arrivals', async () => {
    const line = (items: readonly object[]): string => JSON.stringify(`list\t${JSON.stringify({items})}\n`);
    const now = Date.now() / 1000;
    const old = {id: 'old', created_at: now - 3600};
    const script = `const fs = require('fs'); const put = (text) => fs.appendFileSync(process.env.BOOTCUT_TIMELINE, text);
      put(${line([old])}); setTimeout(() => put(${line([{id: 'live', created_at: now + 60}, old])}), 200); setTimeout(() => {}, 60000)`;
    const run = await oneRun(node(script), ['settled=settled:timeline quiet=500ms top=3']);
    expect(run.why).toBeUndefined();
    expect(Math.abs(at(run, 'settled') - at(run, 'list'))).toBeLessThan(150);
  });

  it('that never comes is unsettled, not failed and not zero (A12)', async () => {
    const script = 'let n = 0; setInterval(() => console.log(n++), 50)';
    const run = await oneRun(node(script), ['log:1', 'settled:output quiet=1s'], {limitMs: 1500});
    expect(run.state).toBe('unsettled');
    expect(run.why).toContain('it changed last after');
  });

  it('reads lists from JSON by their ids and times', () => {
    expect(listFrom('{"posts": [{"id": 1, "created_at": 1700000000}, {"name": "x"}]}')).toEqual([
      {id: '1', createdAt: 1_700_000_000_000},
      {id: 'x', createdAt: undefined},
    ]);
    expect(listFrom('')).toEqual([]);
    expect(listFrom('not json')).toHaveLength(1);
  });
});

describe('connect (C5)', () => {
  const serve = (port: number, wait: number): readonly string[] =>
    node(
      `setTimeout(() => require('http').createServer((q, r) => setTimeout(() => r.end('ok'), 50)).listen(${port}, '127.0.0.1'), ${wait}); setTimeout(() => {}, 60000)`,
    );

  it('tells the wait for somebody who listens from the request, and each part from the others', async () => {
    const port = await freePort();
    const running = oneRun(serve(port, 400), ['exec:false'], {limitMs: 4000});
    const report = await connectUrl(new URL(`http://127.0.0.1:${port}/`), 20_000, 5000);
    await running;
    expect(report).toMatchObject({status: 200, fault: null, address: '127.0.0.1'});
    const part = (name: string): number => report.parts.find((one) => one.name === name)!.ms;
    expect(report.refused?.tries).toBeGreaterThan(1);
    expect(part('connect')).toBeGreaterThan(300);
    expect(part('request')).toBeLessThan(part('connect'));
    expect(part('first-byte')).toBeGreaterThanOrEqual(45);
    expect(report.parts.map(({name}) => name)).toEqual(['resolve', 'connect', 'request', 'first-byte']);
  });

  it('says of a refused port whether it is bound', async () => {
    const port = await freePort();
    const url = new URL(`http://127.0.0.1:${port}/`);
    expect((await connectUrl(url, 0, 2000)).fault).toBe('refused: nobody listens on the port');
    const script = `import socket, time
s = socket.socket(); s.bind(('127.0.0.1', ${port})); print('bound', flush=True); time.sleep(60)`;
    let fault: string | null = '';
    const holding = oneRun(['python3', '-c', script], ['log:bound', 'exec:false'], {limitMs: 2500});
    while (fault !== null && !fault.includes('is bound')) {
      fault = (await connectUrl(url, 0, 2000)).fault; // nothing tells us when it is bound
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(fault).toBe('refused: a socket is bound to the port, but nobody listens yet');
    await holding;
  });
});
