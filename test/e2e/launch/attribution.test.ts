import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {LaunchRig} from '../../rig/launch-rig.js';

/** A hook of the Node front that holds its process up at the very end, after its last report. */
const slowExit = (milliseconds: number, sign: string): string =>
  `process.on('exit', () => {
     require('node:fs').writeFileSync(${JSON.stringify(sign)}, '');
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${milliseconds});
   });`;

const exitOf = ({spans}: LaunchRecord): number | undefined => {
  const span = spans.find(({name}) => name === 'front exit');
  return span === undefined ? undefined : span.to - span.from;
};

describe('the end of a launch through the Node front', () => {
  it('is that of its process, which comes after its last report', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const hook = await rig.script('hook.cjs', slowExit(400, join(rig.root, 'leaving')));
    await rig.startDaemon();
    const env = await rig.frontWith(['--require', hook]);
    const started = performance.now();
    const {status} = await rig.served(['run', '--', 'sh', '-c', 'exit 7'], {env});
    const outside = performance.now() - started;
    const record = await rig.lastRecord();
    expect(status).toBe(7);
    expect(exitOf(record)).toBeGreaterThanOrEqual(395);
    expect(record.total).toBeLessThanOrEqual(outside);
    expect(record.phases.at(-1)).toMatchObject({name: 'teardown', to: record.total});
    const sum = record.phases.reduce((total, {from, to}) => total + to - from, 0);
    expect(sum).toBeCloseTo(record.total, 2);
  });

  it('is its last report where somebody reads the record before, and it stays one launch', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const sign = join(rig.root, 'leaving');
    const hook = await rig.script('hook.cjs', slowExit(2000, sign));
    await rig.startDaemon();
    await rig.served(['run', '--', 'true']);
    const before = (await rig.records()).length;
    const front = rig.start(['run', '--', 'true'], {env: await rig.frontWith(['--require', hook])});
    const ended = new Promise((resolve) => front.once('close', resolve));
    while (!existsSync(sign)) await new Promise((resolve) => setTimeout(resolve, 10)); // a file of a process that is held up
    const early = await rig.records();
    expect(early.length).toBe(before + 1);
    expect(exitOf(early.at(-1)!)).toBeUndefined();
    await ended;
    expect(await rig.records()).toEqual(early);
  });

  it('is not waited for by a launch that records itself', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['run', '--no-daemon', '--', 'true']);
    expect(exitOf(await rig.lastRecord())).toBeUndefined();
  });
});
