import {describe, test} from 'vitest';
import {shareRuns} from '../../../../plugins/warm-pages/src/share-run.js';

/** Work that ends when the test says so; each run of it is kept. */
const work = () => {
  const runs: {readonly signal: AbortSignal; readonly end: (done: string) => void; readonly fail: () => void}[] = [];
  return {
    runs,
    begin: (signal: AbortSignal): Promise<string> =>
      new Promise((resolve, reject) => {
        runs.push({signal, end: resolve, fail: () => reject(new Error('broken'))});
      }),
  };
};

const many = Array.from({length: 20}, (_, index) => index);

describe('twenty launches at once', () => {
  test('share one run, which is counted once', async ({expect}) => {
    const [share, {runs, begin}] = [shareRuns<string>(), work()];
    const all = many.map(() => share('list', new AbortController().signal, begin));
    const other = share('another list', new AbortController().signal, begin);
    expect(runs).toHaveLength(2);
    for (const run of runs) run.end('read');
    expect((await Promise.all(all)).filter((done) => done !== undefined)).toEqual(['read']);
    expect(await other).toBe('read');
    const next = share('list', new AbortController().signal, begin);
    expect(runs).toHaveLength(3);
    runs[2]?.end('again');
    expect(await next).toBe('again');
  });

  test('end it when the last of them is over, and not before', ({expect}) => {
    const [share, {runs, begin}] = [shareRuns<string>(), work()];
    const launches = many.map(() => new AbortController());
    for (const {signal} of launches) void share('list', signal, begin);
    const [last, ...others] = launches;
    for (const launch of others) launch.abort();
    expect(runs[0]?.signal.aborted).toBe(false);
    last?.abort();
    expect(runs[0]?.signal.aborted).toBe(true);
    void share('list', new AbortController().signal, begin);
    expect(runs).toHaveLength(2);
  });

  test('are all told where it fails, and the next one begins anew', async ({expect}) => {
    const [share, {runs, begin}] = [shareRuns<string>(), work()];
    const all = many.map(() => share('list', new AbortController().signal, begin));
    runs[0]?.fail();
    expect((await Promise.allSettled(all)).every(({status}) => status === 'rejected')).toBe(true);
    void share('list', new AbortController().signal, begin);
    expect(runs).toHaveLength(2);
  });

  test('a launch that is over already begins nothing that goes on', ({expect}) => {
    const [share, {runs, begin}] = [shareRuns<string>(), work()];
    void share('list', AbortSignal.abort(), begin);
    expect(runs[0]?.signal.aborted).toBe(true);
  });
});
