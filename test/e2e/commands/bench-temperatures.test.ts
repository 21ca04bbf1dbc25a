import {accessSync, constants, existsSync, readFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {BenchReport} from '../../../src/bench/report.js';
import {linkKeptRuntime} from '../../rig/kept-runtime.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {canBootGuests, emulated, giveGuest} from '../../rig/qemu-guest.js';

let rig: LaunchRig;
beforeEach(async () => {
  rig = await LaunchRig.create();
});
afterEach(() => rig[Symbol.asyncDispose]());

const bench = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{readonly status: number | null; readonly report: BenchReport}> => {
  const {status, stdout, stderr} = await rig.run(['bench', '--warmup', '0', '--json', ...args], {env});
  if (stdout === '') throw new Error(stderr);
  return {status, report: JSON.parse(stdout) as BenchReport};
};

describe('standby-warm', () => {
  const kept = ['--runtime', 'kept', '--temperature', 'standby-warm'];
  beforeEach(() => linkKeptRuntime(rig));

  it('has a standby wait for each run of the variant, and for no other', async () => {
    const {report} = await bench([
      ...['-n', '4', 'taken', ...kept, '--', 'x'],
      ...['--vs', 'booted', '--temperature', 'warm', '--without', 'standby'],
    ]);
    const launches = await rig.records();
    const {runs} = report.result;
    expect(launches).toHaveLength(runs.length);
    for (const [index, {variant, state, why}] of runs.entries()) {
      const {standby, via} = launches[index]!;
      // A busy machine may take the daemon's 50 ms away from it; then the run is none, and says so.
      if (variant === 'booted') expect({standby, state}).toEqual({standby: undefined, state: 'ok'});
      else if (via === 'daemon') expect({standby, state, why}).toEqual({standby: true, state: 'ok', why: undefined});
      else expect({state, why: why?.includes('without the daemon (')}).toEqual({state: 'failed', why: true});
    }
    expect(runs.filter(({variant, state}) => variant === 'taken' && state === 'ok').length).toBeGreaterThan(0);
  });

  it('says of each run for which none came why not, and counts none of them', async () => {
    const {status, report} = await bench(['-n', '2', ...kept, '--', 'x'], {KEEP: 'fails'});
    expect(status).toBe(1);
    expect(report.notOk).toHaveLength(2);
    for (const {why} of report.notOk) expect(why).toMatch(/^standby-warm: .*ended before it was ready/);
    expect(await rig.records()).toEqual([]);
  });

  it('does not count a run that took none although one waited', async () => {
    const {report} = await bench(['-n', '1', ...kept, '--', 'x'], {BY_VERB: 'yes'});
    expect(report.notOk[0]?.why).toMatch(/^standby-warm: the launch did not take the standby that waited for it/);
  });
});

const pageSwitch = '/proc/sys/vm/drop_caches';
const canDropPages = (): boolean => {
  try {
    accessSync(pageSwitch, constants.W_OK);
    return process.geteuid?.() === 0 && existsSync('/usr/bin/fincore');
  } catch {
    return false;
  }
};

describe.skipIf(!canDropPages())('page-cold (needs root)', () => {
  it('has none of a file in memory when the target starts, where a warm run has all of it', async () => {
    const file = join(rig.root, 'pages');
    await writeFile(file, Buffer.alloc(2 ** 20, 'page'));
    const script = `fincore -nb -o PAGES ${file} >>${rig.root}/pages-$0; cat ${file} >/dev/null`;
    const {status, report} = await bench([
      ...['-n', '2', 'cold', '--temperature', 'page-cold', '--', 'sh', '-c', script, 'cold'],
      ...['--vs', 'warm', '--temperature', 'warm', '--prepare', `cat ${file}`, '--', 'sh', '-c', script, 'warm'],
    ]);
    expect({status, notOk: report.notOk}).toEqual({status: 0, notOk: []});
    const pages = (name: string) => readFileSync(`${rig.root}/pages-${name}`, 'utf8').match(/\d+/g);
    expect(pages('cold')).toEqual(['0', '0']);
    expect(pages('warm')).toEqual(['256', '256']);
  });
});

describe.skipIf(!canBootGuests())('memory of a variant', () => {
  it('is what its VM has', async () => {
    await giveGuest(rig);
    const {status, report} = await bench(
      [
        ...['-n', '1', '--until', 'told=log:/MemTotal: +([0-9]+) kB/'],
        ...['small', '--memory', '256M', '--', 'cat', '/proc/meminfo', '--vs', 'large', '--memory', '512M'],
      ],
      emulated,
    );
    expect({status, notOk: report.notOk}).toEqual({status: 0, notOk: []});
    const mebibytes = (variant: string): number => {
      const run = report.result.runs.find((one) => one.variant === variant);
      const detail = run?.milestones.find(({name}) => name === 'told')?.detail ?? '';
      return Number(/(\d+) kB/.exec(detail)?.[1]) / 1024;
    };
    expect(mebibytes('small')).toBeGreaterThan(160);
    expect(mebibytes('small')).toBeLessThan(256);
    expect(mebibytes('large')).toBeGreaterThan(400);
    expect(mebibytes('large')).toBeLessThan(512);
  });
});
