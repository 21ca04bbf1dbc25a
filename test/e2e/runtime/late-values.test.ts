import {readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'vitest';
import {LaunchRig, planners} from '../../rig/launch-rig.js';
import {linkPlugin} from '../../rig/linked-plugin.js';

/** A runtime whose "VM" is a Node program that boots, waits for its values and writes its milestones down. */
const plugin = (program: string, directory: string): string => `
import {definePlugin, defineRuntime, lookup, ms, secret} from 'bootcut/plugin';
import {existsSync, writeFileSync} from 'node:fs';
const asked = async (name) => {
  writeFileSync('${directory}/asked-' + name, '');
  while (!existsSync('${directory}/answer-' + name)) await new Promise((resolve) => setTimeout(resolve, 5));
};
const files = (answers) => typeof answers['late/identity'] === 'string'
  ? [{kind: 'guest-file', path: '~/.gitconfig', text: answers['late/identity'], mode: 0o644}] : [];
const step = (name, neededBy) => lookup({
  name, neededBy, freshFor: ms(60000), keepFor: ms(60000), limit: ms(9000), key: () => [name],
  read: async () => { await asked(name); return name; },
  parse: (value) => { if (typeof value !== 'string') throw new Error('no text'); return value; },
});
export default definePlugin({
  name: 'late',
  steps: [
    step('identity', 'run'),
    secret({name: 'token', neededBy: 'run', limit: ms(9000), when: (launch) => launch.argv.includes('--token'),
      read: async () => { await asked('token'); return 's3cret-value'; },
      apply: (value) => [{kind: 'set-env', name: 'TOKEN', value}]}),
  ],
  runtimes: [defineRuntime({
    name: 'booting', verbs: [], timeline: true,
    plan: (launch, answers) => [
      {kind: 'executable', path: '${process.execPath}'}, {kind: 'prefix-args', args: ['node', '${program}']}, ...files(answers)],
    late: (launch, answers) => files(answers),
    phases: (launch, seen) => {
      const at = (name) => seen.milestones.find((one) => one.name === name)?.at;
      return {bootAt: seen.startedAt, runAt: at('agent-ready'), milestones: [], spans: []};
    },
  })],
});
`;

const program = `
import {appendFileSync, writeFileSync} from 'node:fs';
import {createConnection} from 'node:net';
const stamp = (name) => appendFileSync(process.env.BOOTCUT_TIMELINE,
  name + '\\t' + JSON.stringify({at: Number(process.hrtime.bigint()) / 1e6}) + '\\n');
stamp('booted');
writeFileSync(process.argv.at(-1), '');
const {BOOTCUT_VALUES: path} = process.env;
if (path === undefined) { console.log('nothing comes'); process.exit(); }
const socket = createConnection(path);
let bytes = Buffer.alloc(0);
socket.on('data', (chunk) => {
  bytes = Buffer.concat([bytes, chunk]);
  while (bytes.length >= 8 && bytes.length >= 8 + bytes.readUInt32LE(4)) {
    const payload = bytes.subarray(8, 8 + bytes.readUInt32LE(4));
    const last = bytes[1] === 1;
    bytes = bytes.subarray(8 + payload.length);
    const take = (at) => payload.toString('utf8', at + 4, at + 4 + payload.readUInt32LE(at));
    for (let at = 0; at < payload.length; ) {
      const [kind, mode] = [payload[at], payload.readUInt16LE(at + 1)];
      const name = take(at + 3);
      const value = take(at + 7 + Buffer.byteLength(name));
      console.log(['', 'env', 'file'][kind], mode.toString(8), name, value);
      at += 11 + Buffer.byteLength(name) + Buffer.byteLength(value);
    }
    if (last) { stamp('agent-ready'); console.log('go'); socket.end(); }
  }
});
`;

describe.each(planners)('values that come while the target boots, $front', ({daemon, env}) => {
  let rig: LaunchRig;
  beforeEach(async () => {
    rig = await LaunchRig.create({env});
    const path = join(rig.root, 'program.mjs');
    await writeFile(path, program);
    await linkPlugin(rig, 'late', plugin(path, rig.root));
    if (daemon) await rig.startDaemon();
  });
  afterEach(async () => await rig[Symbol.asyncDispose]());

  const booted = (): string => join(rig.root, 'booted');
  const exists = async (name: string): Promise<boolean> => (await readdir(rig.root)).includes(name);
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5)); // a file of another process
  };
  const answer = async (name: string): Promise<void> => await writeFile(join(rig.root, `answer-${name}`), '');

  it('the target boots before they are there, and gets each of them once they are', async ({expect}) => {
    const running = rig.run(['run', '--runtime', 'booting', '--', '--token', booted()]);
    await until(async () => (await exists('booted')) && (await exists('asked-identity')));
    await answer('identity');
    await answer('token');
    const {stdout, stderr, status} = await running;
    expect({stdout, stderr, status}).toEqual({
      stdout: 'env 0 TOKEN s3cret-value\nfile 644 ~/.gitconfig identity\ngo\n',
      stderr: '',
      status: 0,
    });
    const record = await rig.lastRecord();
    expect(record.milestones.map(({name}) => name)).toEqual(['booted', 'agent-ready']);
    expect(record.steps.find(({step}) => step === 'late/identity')).toMatchObject({state: 'read'});
    const [boot, run] = ['boot', 'run'].map((name) => record.phases.find((phase) => phase.name === name));
    expect(run?.from).toBe(record.milestones[1]?.at);
    expect(boot?.to).toBe(run?.from);
    // Nothing of it is left, and the secret is nowhere.
    expect(await readdir(rig.state)).not.toContainEqual(expect.stringMatching(/^timeline/));
    expect((await rig.shell(`find ${rig.root} -name 'values-*'`)).stdout).toBe('');
    expect((await rig.shell(`grep -rl s3cret-value ${rig.state} ${rig.home} || true`)).stdout).toBe('');
  });

  it('a warm launch gets what it needs at once', async ({expect}) => {
    await answer('identity');
    await rig.run(['run', '--runtime', 'booting', '--', booted()]);
    const {stdout} = await rig.run(['run', '--runtime', 'booting', '--', booted()]);
    expect(stdout).toBe('file 644 ~/.gitconfig identity\ngo\n');
    expect((await rig.lastRecord()).temperature).toBe('warm');
  });

  it('the launch’s budget ends the wait, and the target goes on without', async ({expect}) => {
    const {stdout} = await rig.run(['run', '--budget', '300ms', '--runtime', 'booting', '--', booted()]);
    expect(stdout).toBe('go\n');
    expect((await rig.lastRecord()).steps.find(({step}) => step === 'late/identity')).toMatchObject({
      state: 'deferred',
    });
    await answer('identity');
  });
});
