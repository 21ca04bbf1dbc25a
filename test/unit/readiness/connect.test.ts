import {describe, expect, it} from 'vitest';
import {connectUrl} from '../../../src/readiness/connect-url.js';
import {freePort, node, oneRun} from './one-run.js';

describe('connect (C5)', () => {
  const serve = (port: number, wait: number): readonly string[] =>
    node(
      `setTimeout(() => require('http').createServer((q, r) => setTimeout(() => r.end('ok'), 50)).listen(${port}, '127.0.0.1'), ${wait}); setTimeout(() => {}, 60000)`,
    );

  it('tells the wait for somebody who listens from the request, and each part from the others', async () => {
    const port = await freePort();
    const running = oneRun(serve(port, 400), ['exec:false'], {limitMs: 4000});
    const report = await connectUrl(new URL(`http://127.0.0.1:${port}/`), {
      waitMs: 20_000,
      limitMs: 5000,
      anyCertificate: false,
    });
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
    const once = {waitMs: 0, limitMs: 2000, anyCertificate: false};
    expect((await connectUrl(url, once)).fault).toBe('refused: nobody listens on the port');
    const script = `import socket, time
s = socket.socket(); s.bind(('127.0.0.1', ${port})); print('bound', flush=True); time.sleep(60)`;
    let fault: string | null = '';
    const holding = oneRun(['python3', '-c', script], ['log:bound', 'exec:false'], {limitMs: 2500});
    while (fault !== null && !fault.includes('is bound')) {
      fault = (await connectUrl(url, once)).fault; // nothing tells us when it is bound
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(fault).toBe('refused: a socket is bound to the port, but nobody listens yet');
    await holding;
  });
});
