import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {listFrom} from '../../../src/readiness/observed-list.js';
import {makeCertificate} from '../../rig/certificate.js';
import {type ScriptedAnswer, startScriptedServer} from '../../rig/scripted-server.js';
import {at, node, oneRun} from './one-run.js';

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

  it('looks at a list by URL, also behind TLS', async () => {
    const certificate = await makeCertificate(mkdtempSync(join(tmpdir(), 'bootcut-settled-')));
    let asked = 0;
    const answer = (): ScriptedAnswer => ({body: {items: asked++ < 3 ? [asked] : ['last']}});
    for (const tls of [undefined, certificate]) {
      asked = 0;
      await using server = await startScriptedServer({answer, ...(tls === undefined ? {} : {tls})});
      const url = `${tls === undefined ? 'http' : 'https'}://localhost:${server.port}/list`;
      const run = await oneRun(node('setTimeout(() => {}, 60000)'), [`settled=settled:${url} quiet=400ms`]);
      expect(run.why).toBeUndefined();
      expect(asked).toBeGreaterThan(4);
      expect(run.milestones.find(({name}) => name === 'settled')?.detail).toBe('the url stopped changing (1 item)');
    }
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
