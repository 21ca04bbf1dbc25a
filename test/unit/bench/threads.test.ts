import {describe, expect, it} from 'vitest';
import {benchText} from '../../../src/views/bench-report.js';
import {benched} from './benched.js';

/**
 * One process with two busy threads, one after the other, each until the process has used so much more processor time that
 * there is no doubt: first the one that is no main thread, then the main one; then nothing. A thread has the name of its
 * maker, so the main one gets its own last.
 */
const script = `
  const {Worker} = require('worker_threads');
  const {appendFileSync} = require('fs');
  const tell = (name) => appendFileSync(process.env.BOOTCUT_TIMELINE, name + '\\n');
  const used = () => { const {user, system} = process.cpuUsage(); return user + system; };
  const burn = (ms) => { const end = used() + ms * 1000; while (used() < end); };
  const worker = new Worker(
    'const used = ' + used + '; const burn = ' + burn + '; const {parentPort: main} = require("worker_threads"); main.on("message", () => { burn(300); main.postMessage(1); }); main.postMessage(0);',
    {eval: true},
  );
  worker.on('message', (told) => {
    if (told === 0) { process.title = 'the-main'; tell('ready'); setTimeout(() => worker.postMessage(0), 200); return; }
    tell('worker done');
    setTimeout(() => { burn(150); tell('main done'); setTimeout(() => { tell('rested'); setTimeout(() => process.exit(), 200) }, 300); }, 200);
  });
`;

describe('processor time by thread', () => {
  it('tells one thread of a process from another, between milestones, with the share of the machine', async () => {
    const report = await benched({
      variants: [{name: 'it', command: [process.execPath, '-e', script]}],
      rounds: 2,
      threads: true,
    });
    expect(report.notOk).toEqual([]);
    const between = (from: string, to: string) => report.threads.find((use) => use.from === from && use.to === to)!;
    const [worker, main, rest] = [
      between('ready', 'worker done'),
      between('worker done', 'main done'),
      between('main done', 'rested'),
    ];
    const mainThread = (use: typeof worker) => use.threads.find(({name}) => name === 'the-main')?.ms ?? 0;
    expect(worker.n).toBe(2);
    expect(worker.threads[0]?.name).not.toBe('the-main');
    expect(worker.ms - mainThread(worker)).toBeGreaterThan(200);
    expect(mainThread(worker)).toBeLessThan(100);
    expect(main.threads[0]?.name).toBe('the-main');
    expect(mainThread(main)).toBeGreaterThan(100);
    expect(rest.ms).toBeLessThan(100);
    for (const use of [worker, main, rest]) {
      expect(use.share).toBeGreaterThanOrEqual(0);
      expect(use.share).toBeLessThanOrEqual(1);
    }
    expect(benchText(report)).toMatch(
      /\| it +\| worker done → main done +\| +[\d.]+ ms \| +[\d.]+ % \| the-main [\d.]+ ms/,
    );
  });

  it('is not looked at, and not shown, unless it is asked for', async () => {
    const report = await benched({variants: [{name: 'it', command: ['true']}], rounds: 1});
    expect([report.threads, report.result.runs[0]?.windows]).toEqual([[], undefined]);
    expect(benchText(report)).not.toContain('Processor time');
  });
});
