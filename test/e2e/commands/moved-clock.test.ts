import {spawn} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, it} from 'vitest';
import type {BenchReport} from '../../../src/bench/report.js';
import {findDirectories} from '../../../src/config/directories.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {MovableClock} from '../../rig/movable-clock.js';

const hour = 3600;
/** No duration below comes near it, in milliseconds; an hour that got into one goes far beyond. */
const longest = 120_000;

/** A daemon takes nothing of the environment of what starts it, so this one is started by hand. */
const startDaemonBy = async (clock: MovableClock, rig: LaunchRig): Promise<void> => {
  const main = fileURLToPath(new URL('../../../dist/daemon/main.js', import.meta.url));
  const directories = JSON.stringify(findDirectories(rig.environment()));
  mkdirSync(rig.state, {recursive: true});
  spawn(process.execPath, [main, directories], {env: rig.environment(clock.env), stdio: 'ignore'}).unref();
  while ((await rig.run(['daemon', 'status'])).status !== 0); // nothing else tells that it is there; the rig ends it
};

describe('B2: a wall clock that is set back or forward', () => {
  for (const [name, seconds] of [
    ['back', -hour],
    ['forward', hour],
  ] as const) {
    it(`${name} in the middle of a bench is in no figure of it`, async ({expect}) => {
      await using rig = await LaunchRig.create();
      const clock = new MovableClock(rig.root);
      const script = [
        'echo one >>"$BOOTCUT_TIMELINE"',
        `echo ${seconds} >"$MOVED_CLOCK"`,
        'echo two >>"$BOOTCUT_TIMELINE"; echo said; echo x >made; sleep 0.1; echo 0 >"$MOVED_CLOCK"; rm made; sleep 0.1',
      ].join('; ');
      const until = [
        '--until',
        'said=log:said',
        '--until',
        'made=file:made',
        '--until',
        'still=settled:output quiet=50ms',
      ];
      const {stdout, status} = await rig.run(['bench', '-n', '3', '--json', ...until, 'A', '--', 'sh', '-c', script], {
        env: clock.env,
      });
      expect(status).toBe(0);
      const {result} = JSON.parse(stdout) as BenchReport;
      expect(result.runs.map(({state}) => state)).toEqual(Array(4).fill('ok'));
      for (const {milestones} of result.runs) {
        expect(milestones.map((one) => one.name)).toEqual(
          expect.arrayContaining(['one', 'two', 'said', 'made', 'still']),
        );
        for (const {at, slack} of milestones) {
          expect(at).toBeGreaterThan(0);
          expect(at).toBeLessThan(longest);
          expect(slack?.mostMs ?? 0).toBeLessThan(longest);
        }
      }
    });

    it(`${name} under a running daemon is in no duration, and launches stay in their order`, async ({expect}) => {
      await using rig = await LaunchRig.create();
      const clock = new MovableClock(rig.root);
      const env = {...clock.env, BOOTCUT_FRONT: 'node'};
      await startDaemonBy(clock, rig);
      const targets = ['true', 'sleep', 'echo', 'env'];
      const lines = [['true'], ['sleep', '0.1'], ['echo', 'x'], ['env']];
      await rig.served(['run', '--', ...lines[0]!], {env});
      clock.set(seconds);
      await rig.served(['run', '--', ...lines[1]!], {env});
      await rig.served(['run', '--', ...lines[2]!], {env});
      clock.set(0);
      await rig.served(['run', '--', ...lines[3]!], {env});
      const records = await rig.records();
      expect([...new Set(records.map(({target}) => target))]).toEqual(targets);
      const [first, second] = records.filter((record, index) => record.target !== records[index - 1]?.target);
      expect(((second?.at ?? 0) - (first?.at ?? 0)) / 1000).toBeCloseTo(seconds, -2); // else nothing has been moved
      for (const {total, phases, steps, waited} of records) {
        const all = [total, waited, ...phases.map(({from, to}) => to - from), ...steps.map(({cost}) => cost)];
        for (const duration of all) expect(duration).toBeGreaterThanOrEqual(0);
        for (const duration of all) expect(duration).toBeLessThan(longest);
      }
      const profile = await rig.run(['profile', '--json', '--last', '50'], {env});
      const {launches} = JSON.parse(profile.stdout) as {readonly launches: readonly {readonly id: string}[]};
      expect(launches.map(({id}) => id)).toEqual(records.map(({id}) => id as string).reverse());
      for (const {id} of records) expect((await rig.run(['profile', id, '--json'], {env})).status).toBe(0);
    });
  }

  it('does not make an older bench or registration out of the newest', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const clock = new MovableClock(rig.root);
    const {env} = clock;
    const bench = async (title: string): Promise<unknown> =>
      await rig.run(['bench', '-n', '1', '--warmup', '0', '--title', title, '--', 'true'], {env});
    await bench('first');
    await bench('second');
    clock.set(-hour);
    await bench('third');
    const {stdout} = await rig.run(['bench', 'list', '--json'], {env});
    expect(
      (JSON.parse(stdout) as {readonly benches: readonly {readonly title: string}[]}).benches.map(({title}) => title),
    ).toEqual(['third', 'second', 'first']);
    clock.set(0);
    const file = join(rig.dir, 'startup.md');
    const text = (to: number): string =>
      JSON.stringify({
        predictions: [{of: 'exit', from: 0, to, culprit: 'nobody'}],
        bench: {rounds: 1, warmups: 0, variants: [{name: 'A', command: ['true']}]},
      });
    writeFileSync(file, text(1000));
    await rig.run(['bench', 'register', file], {env});
    clock.set(-hour);
    writeFileSync(file, text(2000));
    expect((await rig.run(['bench', '--under', file], {env})).stderr).toContain('2000');
    await rig.run(['bench', 'register', file], {env});
    expect((await rig.run(['bench', '--under', file], {env})).status).toBe(0);
  });
});
