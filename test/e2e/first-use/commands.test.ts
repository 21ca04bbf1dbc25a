import {readdir, readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, it} from 'vitest';
import type {LaunchRecord, StepRecord} from '../../../src/model/record.js';
import {commandDirectory, linkFirstUse} from '../../rig/first-use-plugin.js';
import {endProcess, type Front, fronts, LaunchRig, planners} from '../../rig/launch-rig.js';

/** Says what it was given, and ends with 3. */
const certutil = `#!/bin/sh
printf '%s' "certutil:$0"
for arg in "$@"; do printf ' <%s>' "$arg"; done
printf ' in=%s' "$(cat)"
printf ' fd5=%s' "$(cat <&5 2>/dev/null)"
printf ' nick=%s\\n' "$NICKNAME"
echo error >&2
exit 3
`;

const rigFor = async ({daemon, env}: Front): Promise<{readonly rig: LaunchRig; readonly path: string}> => {
  const rig = await LaunchRig.create({env});
  const directory = await commandDirectory(rig, 'certutil', certutil);
  if (daemon) await rig.startDaemon();
  return {rig, path: `${directory}:${rig.env['PATH'] ?? ''}`};
};

const stepOf = (record: LaunchRecord): StepRecord => {
  const step = record.steps.find((one) => one.step === 'later/work');
  if (step === undefined) throw new Error('the step is not on record');
  return step;
};

const runPhase = (record: LaunchRecord) => record.phases.find(({name}) => name === 'run')!;

/**
 * What a launch must not leave: directories of triggers, sockets, links. A daemon that was given up by a front on a busy
 * machine takes its own away a moment later; nothing tells when.
 */
const leftOf = async (rig: LaunchRig): Promise<readonly string[]> => {
  const names = await readdir(rig.root, {recursive: true});
  return names.filter((name) => name.includes('first-use-'));
};

describe.each(planners)('V13: a step put off until a command runs, $front', (front) => {
  it('does not run in a launch that never runs the command', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    const plugin = await linkFirstUse(rig, "{command: 'certutil'}");
    const {status, stdout} = await rig.run(['run', '--', 'sh', '-c', 'echo done; exit 7'], {env: {PATH: path}});
    expect({status, stdout}).toEqual({status: 7, stdout: 'done\n'});
    expect(await plugin.runs()).toBe(0);
    expect(stepOf(await rig.lastRecord())).toMatchObject({state: 'not-used', barrier: 'first-use', cost: 0});
    await expect.poll(async () => await leftOf(rig)).toEqual([]);
  });

  it('runs once where the command runs twice, after the target has started', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    const plugin = await linkFirstUse(rig, "{command: 'certutil'}");
    const script = 'certutil a </dev/null 5</dev/null; certutil b </dev/null 5</dev/null; exit 0';
    const {status, stdout} = await rig.run(['run', '--', 'sh', '-c', script], {env: {PATH: path}});
    const real = join(dirname(path.split(':')[0]!), 'commands', 'certutil');
    expect({status, stdout}).toEqual({
      status: 0,
      stdout: `certutil:${real} <a> in= fd5= nick=\ncertutil:${real} <b> in= fd5= nick=\n`,
    });
    expect(await plugin.runs()).toBe(1);
    const record = await rig.lastRecord();
    const step = stepOf(record);
    expect(step.state).toBe('read');
    expect(step.from).toBeGreaterThanOrEqual(runPhase(record).from);
    expect(step.to).toBeGreaterThanOrEqual(step.from);
    await expect.poll(async () => await leftOf(rig)).toEqual([]);
  });

  it('gives argument list, descriptors, input, output and status to the real command as they were', async ({
    expect,
  }) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    await linkFirstUse(rig, "{command: 'certutil'}");
    const odd = ['', 'a b', "it's", '*', '-n', 'ü'];
    const script = `printf in | certutil "$@" 5<<'X'
five
X
exit $?`;
    const {status, stdout, stderr} = await rig.run(['run', '--', 'sh', '-c', script, 'sh', ...odd], {
      env: {PATH: path},
    });
    expect(status).toBe(3);
    expect(stdout.replace(/^\S+/, '')).toBe(` <> <a b> <it's> <*> <-n> <ü> in=in fd5=five nick=\n`);
    expect(stderr).toBe('error\n');
  });

  it('adds variables to that command alone, each time', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    const plugin = await linkFirstUse(rig, "{command: 'certutil'}", `return {env: {NICKNAME: 'mine'}};`);
    const run = 'certutil </dev/null 5</dev/null 2>/dev/null';
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', `${run}; ${run}; echo "[$NICKNAME]"`], {
      env: {PATH: path},
    });
    expect(stdout.replaceAll(/certutil:\S+/g, 'certutil')).toBe(
      'certutil in= fd5= nick=mine\ncertutil in= fd5= nick=mine\n[]\n',
    );
    expect(await plugin.runs()).toBe(1);
  });

  it('that fails, hangs or gives nonsense costs the command nothing but that', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    const kinds = {
      failed: `throw new Error('on purpose');`,
      'timed-out': `await new Promise(() => {});`,
      malformed: `return {env: {NICKNAME: 7}};`,
    };
    for (const [kind, body] of Object.entries(kinds)) {
      await linkFirstUse(rig, "{command: 'certutil'}", body, {more: 'limit: ms(300),'});
      const script = 'certutil x </dev/null 5</dev/null';
      const {status, stdout, stderr} = await rig.run(['run', '--', 'sh', '-c', script], {env: {PATH: path}});
      expect({status, stdout: stdout.replace(/^\S+/, ''), stderr}).toEqual({
        status: 3,
        stdout: ' <x> in= fd5= nick=\n',
        stderr: 'error\n',
      });
      const step = stepOf(await rig.lastRecord());
      expect([step.state, step.reason]).toContain(kind);
    }
  });

  it('runs once for many who come at once, and all of them wait for it', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    const plugin = await linkFirstUse(
      rig,
      "{command: 'certutil'}",
      `await new Promise((resolve) => setTimeout(resolve, 300)); return {env: {NICKNAME: 'there'}};`,
    );
    const script = 'for n in 1 2 3 4 5 6 7 8; do certutil </dev/null 5</dev/null 2>/dev/null & done; wait';
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', script], {env: {PATH: path}});
    expect(stdout.match(/nick=there/g)?.length).toBe(8);
    expect(await plugin.runs()).toBe(1);
  });

  it('puts no shim in front of a command that is not there', async ({expect}) => {
    const {rig} = await rigFor(front);
    await using _ = rig;
    await linkFirstUse(rig, "{command: 'no-such-command'}");
    const script = 'command -v no-such-command || echo "$PATH"';
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', script]);
    expect(stdout).toBe(`${rig.env['PATH']}\n`);
    expect(stepOf(await rig.lastRecord())).toMatchObject({state: 'not-used', reason: 'not-installed'});
  });

  it('shows nothing of what it gives on disk or in the record', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    await linkFirstUse(rig, "{command: 'certutil'}", `return {env: {NICKNAME: 'top-' + 'secret-value'}};`);
    const script = `certutil </dev/null 5</dev/null 2>/dev/null
      grep -rl top-secret-value ${rig.home} /proc/self/environ || echo nowhere`;
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', script], {env: {PATH: path}});
    expect(stdout).toContain('nick=top-secret-value\n');
    expect(stdout).toContain('nowhere');
    for (const name of await readdir(rig.state, {recursive: true})) {
      const text = await readFile(join(rig.state, name), 'utf8').catch(() => '');
      expect(text).not.toContain('top-secret-value');
    }
  });

  it('is left out with --without', async ({expect}) => {
    const {rig, path} = await rigFor(front);
    await using _ = rig;
    const plugin = await linkFirstUse(rig, "{command: 'certutil'}");
    const script = 'certutil </dev/null 5</dev/null 2>/dev/null; echo "$PATH"';
    const {stdout} = await rig.run(['run', '--without', 'later/work', '--', 'sh', '-c', script], {env: {PATH: path}});
    expect(stdout.split('\n').at(-2)).toBe(path);
    expect(await plugin.runs()).toBe(0);
  });
});

describe('a step put off until a command runs', () => {
  const [withDaemon] = fronts.filter(({daemon}) => daemon);

  it('lets the command run when the daemon has been killed, and the next daemon removes what was left', async ({
    expect,
  }) => {
    const {rig, path} = await rigFor(withDaemon!);
    await using _ = rig;
    await linkFirstUse(rig, "{command: 'certutil'}");
    const {pid} = await rig.status();
    const script = `kill -KILL ${pid}; certutil </dev/null 5</dev/null`;
    const {status, stdout} = await rig.run(['run', '--', 'sh', '-c', script], {env: {PATH: path}});
    expect({status, stdout: stdout.replace(/^\S+/, '')}).toEqual({status: 3, stdout: ' in= fd5= nick=\n'});
    expect((await leftOf(rig)).length).toBeGreaterThan(0);
    await rig.startDaemon();
    await expect.poll(async () => await leftOf(rig)).toEqual([]);
  });

  it('shows in steps and in the profile', async ({expect}) => {
    const {rig, path} = await rigFor(withDaemon!);
    await using _ = rig;
    await linkFirstUse(rig, "{command: 'certutil'}");
    const steps = await rig.run(['steps']);
    expect(steps.stdout).toMatch(/later\/work \| action \| first use \| +3,000 ms \| put off until certutil is run/);
    await rig.run(['run', '--', 'sh', '-c', 'certutil </dev/null 5</dev/null'], {env: {PATH: path}});
    const id = (await rig.lastRecord()).id;
    const {launches} = JSON.parse((await rig.run(['profile', id, '--json'])).stdout) as {
      readonly launches: readonly {readonly steps: readonly {readonly step: string}[]}[];
    };
    expect(launches[0]?.steps.find(({step}) => step === 'later/work')).toMatchObject({
      state: 'read',
      neededBy: 'first-use',
    });
    expect((await rig.run(['profile', id])).stdout).toMatch(/later\/work.*first-use.*read/);
  });

  it('costs a stopped daemon’s command no more than the step’s own limit', async ({expect}) => {
    const {rig, path} = await rigFor(withDaemon!);
    await using _ = rig;
    await linkFirstUse(rig, "{command: 'certutil'}", '', {more: 'limit: ms(200),'});
    const {pid} = await rig.status();
    try {
      const script = `kill -STOP ${pid}; certutil </dev/null 5</dev/null`;
      const {status} = await rig.run(['run', '--', 'sh', '-c', script], {env: {PATH: path}});
      expect(status).toBe(3);
    } finally {
      endProcess(pid);
    }
  });
});
