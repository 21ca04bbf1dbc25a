import {spawn} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Json, Launch, Moment} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {adoptIdentity} from '../../../../plugins/agent-vm/src/adopt-identity.js';
import {derivePhases} from '../../../../plugins/agent-vm/src/derive-phases.js';
import {planLaunch} from '../../../../plugins/agent-vm/src/plan-launch.js';
import {markerPath} from '../../../../plugins/agent-vm/src/pulled-marker.js';
import {type AgentVm, type AgentVmRun, type AgentVmVersion, makeAgentVm} from '../../../rig/agent-vm.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {applyPlan} from './apply-plan.js';
import {makeLaunch} from './launch.js';

const ann = {login: 'ann', id: 7, name: 'Ann Lee', email: 'ann@example.org'};
const annLine = '==> Git author identity: Ann Lee <ann@example.org> (gh:ann)';
/** A registry that refuses at once, so that a check that is left on says nothing and reaches nobody. */
const image = '127.0.0.1:1/img:1';

let root = '';
let count = 0;
beforeEach(async () => {
  root = await temporaryDirectory('run');
  put(
    'bin/gh',
    `#!/bin/sh\necho "$*" >> ${root}/gh.log\n[ "$*" = 'api user' ] && echo '{"login":"bob","id":9,"name":"Bob"}'\n`,
    0o755,
  );
  put('project/file', '');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

function put(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(join(root, path)), {recursive: true});
  writeFileSync(join(root, path), text, {mode});
}

interface Ran {
  readonly launch: Launch;
  readonly status: number | null;
  readonly stderr: readonly string[];
  readonly seen: AgentVmRun | undefined;
  readonly ghCalls: readonly string[];
}

interface Given {
  readonly argv?: readonly string[];
  readonly answers?: Readonly<Record<string, Json>>;
  readonly env?: Record<string, string>;
}

/** Plans a launch, carries the plan out, and runs it against the stand-in. */
const go = async (
  agentVm: AgentVm,
  version: string,
  {argv = ['shell', 'true'], answers, env = {}}: Given = {},
): Promise<Ran> => {
  count += 1;
  const launch = makeLaunch({
    id: `run-${count}`,
    argv,
    cwd: join(root, 'project'),
    env: {HOME: root, PATH: `${agentVm.dir}:${join(root, 'bin')}:/usr/bin:/bin`, AGENT_VM_IMAGE_TAG: image, ...env},
  });
  const known = {'agent-vm/version': version, ...(answers ?? {'git-identity/github': ann})};
  const {file, argv: planned, env: targetEnv} = await applyPlan(launch, planLaunch(launch, known));
  const child = spawn(file, planned.slice(1), {
    argv0: planned[0],
    cwd: launch.cwd,
    env: targetEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const stderr = Buffer.concat(chunks).toString().split('\n').filter(Boolean);
  return {launch, status, stderr, seen: (await agentVm.runs()).at(-1), ghCalls: ghCalls()};
};

const ghCalls = (): readonly string[] => {
  try {
    return readFileSync(join(root, 'gh.log'), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
};

const mark = (): void => {
  const path = markerPath(join(root, '.local/state/agent-vm'), image);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, `sha256:${'ab'.repeat(32)}`);
};

const versions: readonly AgentVmVersion[] = ['0.1.14', '0.1.15', '0.1.17', '0.1.18', '0.1.20', '0.1.24', '0.1.28'];

describe('a planned launch against the stand-in', () => {
  for (const version of versions) {
    test(`spares v${version} the registry and GitHub, and takes over the identity`, async ({expect}) => {
      mark();
      await using agentVm = await makeAgentVm({version});
      const ran = await go(agentVm, version, {argv: ['shell', 'sh', '-c', 'exit 7']});
      expect(ran).toMatchObject({status: 7, ghCalls: []});
      expect(ran.seen?.argv).toEqual(['shell', '--no-update-check', 'sh', '-c', 'exit 7']);
      expect(ran.stderr).toContain(annLine);
    });

    test(`reads v${version}'s lines as phases`, async ({expect}) => {
      mark();
      await using agentVm = await makeAgentVm({version});
      const {launch, stderr} = await go(agentVm, version, {env: {AGENT_VM_PROFILE: '1'}});
      const lines = stderr.map((text, index) => ({at: (1000 + index) as Moment, text}));
      const marks = derivePhases(launch, {startedAt: 999 as Moment, endedAt: 2000 as Moment, lines, milestones: []});
      expect(marks.spans.map(({name}) => name)).toEqual([
        'session+reap',
        'repo-detect',
        'secrets',
        'build',
        'create',
        'api-check',
        'run',
        'stop',
        'remove',
      ]);
      const at = (start: string): number => 1000 + stderr.findIndex((line) => line.startsWith(start));
      expect(marks).toMatchObject({
        bootAt: at('==> Booting sandbox'),
        runAt: at('==> Running bash'),
        teardownAt: at('==> Stopping sandbox'),
      });
    });
  }

  test('with everything a caller can say before and behind the command', async ({expect}) => {
    mark();
    await using agentVm = await makeAgentVm({version: '0.1.28'});
    const argv = [
      'shell',
      '--memory',
      '4',
      '--repo=a/b',
      '--',
      'printf',
      '%s',
      '',
      '--no-update-check',
      '--',
      "a 'b'",
      '$HOME',
      'ü',
    ];
    const ran = await go(agentVm, '0.1.28', {argv});
    expect(ran.status).toBe(0);
    expect(ran.seen?.argv).toEqual(['shell', '--no-update-check', ...argv.slice(1)]);
  });

  test('that gave the flag already is not given it twice', async ({expect}) => {
    await using agentVm = await makeAgentVm({version: '0.1.17'});
    const argv = ['shell', '--no-update-check', 'true'];
    expect(await go(agentVm, '0.1.17', {argv})).toMatchObject({status: 0, seen: {argv}});
  });

  test("that is a usage error stays one, with agent-vm's status", async ({expect}) => {
    await using agentVm = await makeAgentVm({version: '0.1.17'});
    expect(await go(agentVm, '0.1.17', {argv: ['shell', '--memory', 'much']})).toMatchObject({status: 2});
    expect(await go(agentVm, '0.1.17', {argv: ['shell', '--no-update-check=true']})).toMatchObject({status: 2});
    expect(await go(agentVm, '0.1.17', {argv: ['copilot']})).toMatchObject({status: 2});
  });

  test('lets v0.1.18 run its check once where no marker is, which then makes one', async ({expect}) => {
    await using agentVm = await makeAgentVm({version: '0.1.18', imageDigest: `sha256:${'cd'.repeat(32)}`});
    expect((await go(agentVm, '0.1.18')).seen?.argv).toEqual(['shell', 'true']);
    expect((await go(agentVm, '0.1.18')).seen?.argv).toEqual(['shell', '--no-update-check', 'true']);
  });

  test('of a release we do not know is left as it is, and asks for itself', async ({expect}) => {
    mark();
    await using agentVm = await makeAgentVm({version: '0.1.28'});
    const ran = await go(agentVm, '0.2.0');
    expect(ran).toMatchObject({status: 0, seen: {argv: ['shell', 'true']}, ghCalls: ['api user']});
  });

  test('through the npm layout runs the native file, without the shim in between', async ({expect}) => {
    await using agentVm = await makeAgentVm({version: '0.1.28', layout: 'npm'});
    const ran = await go(agentVm, '0.1.28');
    expect(ran).toMatchObject({status: 0, ghCalls: [], seen: {ppid: process.pid}});
  });

  test('takes up the identity that agent-vm had to ask for', async ({expect}) => {
    await using agentVm = await makeAgentVm({version: '0.1.28'});
    const ran = await go(agentVm, '0.1.28', {answers: {}});
    expect(ran.ghCalls).toEqual(['api user']);
    expect(adoptIdentity(ran.launch)).toEqual({
      'git-identity/github': {login: 'bob', id: 9, name: 'Bob', email: '9+bob@users.noreply.github.com'},
    });
  });

  test("replaces another account's identity in agent-vm's own file", async ({expect}) => {
    await using agentVm = await makeAgentVm({version: '0.1.28'});
    await go(agentVm, '0.1.28', {answers: {}});
    const ran = await go(agentVm, '0.1.28');
    expect(ran.stderr).toContain(annLine);
    expect(readFileSync(join(root, '.local/state/agent-vm/cache/host-git-identity'), 'utf8')).toBe(
      'Ann Lee\nann@example.org\nann\n',
    );
  });
});
