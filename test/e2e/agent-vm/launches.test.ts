import {readFile, stat, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import type {LaunchRecord, StepRecord} from '../../../src/model/record.js';
import {type AgentVmRun, documentLatencies, documentNetwork} from '../../rig/agent-vm.js';
import {type DelayProxy, startDelayProxy} from '../../rig/delay-proxy.js';
import {quoted} from '../../rig/launch-rig.js';
import {type AgentVmRig, ann, bob, createAgentVmRig} from './agent-vm-rig.js';

const userRequests = (requests: readonly {readonly url?: string | undefined}[]): number =>
  requests.filter(({url}) => url?.endsWith('/user') ?? false).length;

/** What the stand-in saw of launches; `agent-vm --version`, which we ask once per binary, is none. */
const launchesOf = async ({agentVm}: AgentVmRig): Promise<readonly AgentVmRun[]> =>
  (await agentVm.runs()).filter(({argv}) => argv[0] !== '--version');

const step = (steps: readonly StepRecord[], name: string): StepRecord | undefined =>
  steps.find((found) => found.step === name || found.step.startsWith(`${name}[`));

describe('V1: bootcut shell instead of agent-vm shell', () => {
  it.for([
    [['shell', 'exit', '7'], 7],
    [['shell', '--', 'sh', '-c', 'exit 9'], 9],
    [['shell', 'exit 7'], 127],
    [['shell', '--memory'], 2],
    [['shell', '--memory', 'much', 'true'], 2],
    [['shell', '--no-update-check', '--no-update-check', 'true'], 2],
    [['agent-vm', 'shell', 'exit', '5'], 5],
    [['agent-vm', '--version'], 0],
    [['agent-vm', 'no-such-verb'], 2],
    [['clipboard', 'get'], 0],
  ] as const)('says and does what agent-vm itself does for %j', async ([args], {expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const own = args[0] === 'agent-vm' ? args.slice(1) : args;
    const direct = await a.rig.shell(`${quoted(a.agentVm.path)} ${own.map(quoted).join(' ')}`, {
      env: {...a.env, AGENT_VM_PROFILE: undefined},
    });
    const through = await a.rig.run(args, {env: {...a.env, AGENT_VM_PROFILE: undefined}});
    const steady = (text: string): string => text.replaceAll(/agent-vm-([0-9a-f]{12})-\d+/g, 'agent-vm-$1-PID');
    expect({...through, stderr: steady(through.stderr)}).toEqual({...direct, stderr: steady(direct.stderr)});
  });

  it('hands the trailing region on untouched', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const trailing = ['x', '--', 'y', '--no-daemon', '--help', '', 'a b', '--no-update-check', 'ü'];
    await a.rig.run(['shell', '--cpus', '1', ...trailing], {env: a.env});
    const [run] = await launchesOf(a);
    expect(run?.argv).toEqual(['shell', '--no-update-check', '--cpus', '1', ...trailing]);
  });

  it('serves verbs that are its own whatever runtime is set for the others', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.run(['claude', '--', 'x'], {env: {...a.env, BOOTCUT_RUNTIME: 'qemu'}});
    await a.rig.run(['config', 'set', 'runtime', 'qemu'], {env: a.env});
    await a.rig.run(['claude', '--', 'y'], {env: a.env});
    expect((await launchesOf(a)).map(({argv}) => [argv[0], argv.at(-1)])).toEqual([
      ['claude', 'x'],
      ['claude', 'y'],
    ]);
    const shell = await a.rig.run(['shell', '--', 'true'], {env: a.env});
    expect(shell.stderr).toContain('bootcut setup --runtime qemu');
    const asked = await a.rig.run(['claude', '--runtime', 'qemu'], {env: a.env});
    expect(asked).toMatchObject({status: 2, stderr: expect.stringContaining("the runtime qemu has no 'claude'")});
    expect(await launchesOf(a)).toHaveLength(2);
  });

  it('changes nothing of the environment', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.run(['shell', 'true'], {env: a.env});
    await a.rig.shell(`${quoted(a.agentVm.path)} shell true`, {env: a.env});
    const [through, direct] = await launchesOf(a);
    const shared = ({_, SHLVL, OLDPWD, PWD, ...rest}: Readonly<Record<string, string>>): object => rest;
    expect(shared(through?.env ?? {})).toEqual(shared(direct?.env ?? {}));
  });

  it('takes our flags only before the first token that is neither ours nor agent-vm’s', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.run(['shell', '--no-git', '--no-cache', '--cpus', '1', '--budget', '2s', 'echo', '--budget', '1s'], {
      env: a.env,
    });
    const [run] = await launchesOf(a);
    expect(run?.argv).toEqual(['shell', '--no-update-check', '--no-git', '--cpus', '1', 'echo', '--budget', '1s']);
  });

  it('says in one line what is missing when there is no agent-vm', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const {status, stderr, stdout} = await a.rig.run(['shell', 'true'], {env: {...a.env, PATH: '/usr/bin:/bin'}});
    expect({status, stdout}).toEqual({status: 127, stdout: ''});
    expect(stderr.trim().split('\n')[0]).toMatch(/^bootcut: .*agent-vm/);
  });

  it('finds the native file behind the npm package and starts no Node for it', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28', layout: 'npm'});
    expect(await a.rig.run(['shell', 'exit', '4'], {env: a.env})).toMatchObject({status: 4});
    const [run] = await launchesOf(a);
    expect(run?.argv).toEqual(['shell', '--no-update-check', 'exit', '4']);
  });
});

describe('V3, V4: the identity', () => {
  it('is asked once, written in agent-vm’s own form, and then neither asked by us nor by agent-vm', async ({
    expect,
  }) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.startDaemon();
    for (let round = 0; round < 3; round += 1) {
      const {stderr} = await a.rig.run(['shell', 'true'], {env: a.env});
      expect(stderr).toContain('==> Git author identity: Ann Lee <ann@example.org> (gh:ann)');
    }
    expect(await a.identityFile()).toBe('Ann Lee\nann@example.org\nann\n');
    expect((await stat(join(a.state, 'cache', 'host-git-identity'))).mode & 0o777).toBe(0o600);
    expect(userRequests(a.github.requests)).toBe(1);
    expect((await a.agentVm.runs()).flatMap(({calls}) => calls).filter(([name]) => name === 'gh')).toEqual([]);
    expect((await a.rig.lastRecord()).temperature).toBe('warm');
  });

  it('C5: is the new account’s at the very next launch after a switch, also back again', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.startDaemon();
    for (const [token, user] of [
      ['token-ann', ann],
      ['token-bob', bob],
      ['token-ann', ann],
    ] as const) {
      const {stderr} = await a.rig.run(['shell', 'true'], {env: {...a.env, GH_ENTERPRISE_TOKEN: token}});
      expect(stderr).toContain(`(gh:${user.login})`);
    }
  });

  it('in agent-vm’s file that claims to be from the future is not believed', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.run(['shell', 'true'], {env: a.env});
    const file = join(a.state, 'cache', 'host-git-identity');
    await writeFile(file, 'Mallory\nm@example.org\nmallory\n');
    await utimes(file, new Date(Date.now() + 86_400_000), new Date(Date.now() + 86_400_000));
    const {stderr} = await a.rig.run(['shell', 'true'], {env: a.env});
    expect(stderr).toContain('(gh:ann)');
  });

  it('V12: of a gh that hangs is given up at its limit, and the launch goes on as agent-vm would', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const gh = await a.rig.script('gh', '#!/bin/sh\nexec sleep 1000\n', join(a.rig.root, 'hang'));
    const env = {...a.env, PATH: `${join(gh, '..')}:${a.rig.env['PATH'] ?? ''}`};
    const {status, stderr} = await a.rig.run(['shell', '--budget', '10s', 'exit', '3'], {env});
    expect(status).toBe(3);
    expect(stderr).toContain('==> Git author identity: <none>');
    const found = step((await a.rig.lastRecord()).steps, 'git-identity/github');
    expect(found).toMatchObject({state: 'timed-out', reason: 'timed-out'});
  });
});

describe('V5, V6: the update check', () => {
  it('delays nothing when the registry hangs', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.17'});
    await a.rig.startDaemon();
    const {proxy, env} = await hangingRegistry(a);
    await using held = proxy;
    expect(await a.rig.run(['shell', 'exit', '6'], {env})).toMatchObject({status: 6});
    await held.arrived(1); // the probe is at the registry, and stays there
    const record = await a.rig.lastRecord();
    expect(step(record.steps, 'update-check/image')).toMatchObject({state: 'not-waited', barrier: 'none'});
  });

  it('shows agent-vm’s own banner at a terminal at the next launch, from one probe, and none to a script', async ({
    expect,
  }) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.startDaemon();
    const newer = await a.pushNewer();
    await a.rig.run(['shell', 'true'], {env: a.env}); // asks, is not waited for
    await a.rig.run(['cache', 'refresh', 'update-check'], {env: a.env});
    const always = {...a.env, BOOTCUT_NOTICES: 'always'};
    const {stderr} = await a.rig.run(['shell', 'true'], {env: always});
    const short = (digest: string | undefined): string => (digest ?? '').replace('sha256:', '').slice(0, 12);
    expect(stderr).toContain(
      `==> A newer image is available in the registry (cached ${short(a.pushed.platformDigests['linux/amd64'])}, registry ${short(newer.platformDigests['linux/amd64'])})\n` +
        '==> Run `agent-vm pull` to fetch it. Continuing with the cached image.\n',
    );
    expect((await a.rig.run(['shell', 'true'], {env: a.env})).stderr).not.toContain('newer image');
  });

  it('is left to agent-vm where there is no marker to compare with', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28', marker: false});
    await a.rig.run(['shell', 'true'], {env: a.env});
    await a.rig.run(['shell', 'true'], {env: a.env});
    const runs = await launchesOf(a);
    expect(runs[0]?.argv).toEqual(['shell', 'true']);
    expect(runs[1]?.argv).toEqual(['shell', '--no-update-check', 'true']);
  });
});

describe('V10: by version', () => {
  it.for(['0.1.14', '0.1.17', '0.1.18'] as const)(
    'v%s gets the flag and a gh that answers from the cache',
    async (version, {expect}) => {
      await using a = await createAgentVmRig({version});
      await a.rig.startDaemon();
      await a.rig.run(['shell', 'true'], {env: a.env});
      const {stderr} = await a.rig.run(['shell', 'true'], {env: a.env});
      expect(stderr).toContain('(gh:ann)');
      const runs = await launchesOf(a);
      expect(runs.at(-1)?.argv).toEqual(['shell', '--no-update-check', 'true']);
    },
  );

  it('an unknown version gets no lever at all', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const odd = await a.rig.script(
      'agent-vm',
      `#!/bin/sh\n[ "$1" = --version ] && { echo "agent-vm 9.9.9"; exit; }\necho "$@"\n`,
      join(a.rig.root, 'odd'),
    );
    const {stdout} = await a.rig.run(['shell', 'true'], {
      env: {...a.env, PATH: `${join(odd, '..')}:${a.rig.env['PATH'] ?? ''}`},
    });
    expect(stdout).toBe('shell true\n');
  });
});

describe('V7: with the daemon dead or wedged', () => {
  it('has the same exit status and the same words', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const {pid} = await a.rig.startDaemon();
    process.kill(pid, 'SIGSTOP');
    expect(await a.rig.run(['shell', 'exit', '8'], {env: a.env})).toMatchObject({status: 8, stdout: ''});
    expect(await a.rig.lastRecord()).toMatchObject({via: 'in-process', viaReason: 'daemon-silence'});
    process.kill(pid, 'SIGKILL');
    expect(await a.rig.run(['shell', 'exit', '8'], {env: a.env})).toMatchObject({status: 8});
    expect((await a.rig.lastRecord()).temperature).toBe('warm');
  });
});

describe('a warm pre-boot', () => {
  it('starts no process and opens no connection', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const {pid} = await a.rig.startDaemon();
    await a.rig.run(['shell', 'true'], {env: a.env});
    await a.rig.run(['cache', 'refresh'], {env: a.env});
    await a.rig.run(['shell', 'true'], {env: a.env});
    const trace = join(a.rig.root, 'trace');
    const {stdout} = await a.rig.shell(
      `strace -f -qq -e trace=execve,fork,vfork,connect,socket -o ${quoted(trace)} -p ${pid} & tracer=$!
       until grep -q TracerPid:.*$tracer /proc/${pid}/status; do sleep 0.05; done
       for try in $(seq 20); do
         bootcut shell true >/dev/null 2>&1; status=$?
         tail -qn1 "$HOME"/.local/state/bootcut/records/*.jsonl | grep -q '"via":"daemon"' && break
       done
       echo $status
       kill -INT $tracer; wait $tracer`,
      {env: a.env},
    );
    expect(stdout).toBe('0\n');
    expect(await readFile(trace, 'utf8')).toBe('');
    expect(await a.rig.lastRecord()).toMatchObject({temperature: 'warm', via: 'daemon'});
  });
});

describe('V8: the profile of an agent-vm launch', () => {
  it('names the parts of the seed’s table', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.20'});
    await a.rig.run(['shell', 'true'], {env: a.env});
    const {stdout} = await a.rig.run(['profile'], {env: a.env});
    for (const name of [
      'session+reap',
      'repo-detect',
      'secrets',
      'gh api user',
      'pre-boot',
      'create',
      'run',
      'stop',
      'remove',
    ]) {
      expect(stdout).toContain(name);
    }
    expect(stdout).toMatch(/waited [\d,]+ ms for [\d,]+ ms of look-ups/);
    // What a history names a change after.
    expect(await a.rig.lastRecord()).toMatchObject({runtimeVersion: '0.1.20'});
  });

  it('is not fooled by a guest that prints look-alike lines', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    const forged = 'echo "[profile] create: 99s" >&2; echo "==> Stopping sandbox" >&2; sleep 0.3; true';
    await a.rig.run(['shell', 'sh', '-c', forged], {env: a.env});
    const {phases, spans} = await a.rig.lastRecord();
    const run = phases.find(({name}) => name === 'run');
    expect((run?.to ?? 0) - (run?.from ?? 0)).toBeGreaterThan(250);
    const create = spans.find(({name}) => name === 'create');
    expect((create?.to ?? 0) - (create?.from ?? 0)).toBeLessThan(50_000);
  });
});

describe('C8: secrets', () => {
  it('are found in no file, no output and no process list', async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28'});
    await a.rig.startDaemon();
    a.github.setUser('SECRET456', ann);
    const env = {
      ...a.env,
      GH_ENTERPRISE_TOKEN: 'SECRET456',
      GH_TOKEN: 'SECRET457',
      HTTPS_PROXY: 'http://u:SECRET000@127.0.0.1:9',
      NO_PROXY: 'localhost,127.0.0.1',
      DEBUG: '*',
      BOOTCUT_VERBOSE: '1',
    };
    await a.rig.shell(`git init -q . && git remote add origin https://x-access-token:SECRET123@github.com/o/r.git`);
    const outputs = [
      await a.rig.run(['shell', 'true'], {env}),
      await a.rig.run(
        ['run', '--with', 'git-identity,github-repos,gh-token', '--', 'sh', '-c', 'echo repos $BOOTCUT_GITHUB_REPOS'],
        {env},
      ),
      await a.rig.run(['run', '--with', 'git-identity', '--', 'false'], {env: {...env, GH_HOST: 'localhost:1'}}),
      await a.rig.run(['profile', '--json', '--last', '9'], {env}),
      await a.rig.run(['steps', '--json'], {env}),
      await a.rig.run(['cache', 'list', '--json'], {env}),
      await a.rig.run(['daemon', 'logs'], {env}),
      await a.rig.run(['doctor', '--json'], {env}),
    ];
    const said = outputs.map(({stdout, stderr}) => stdout + stderr).join('\n');
    expect(said).toContain('repos o/r');
    expect(said.match(/SECRET\d+/g)).toBeNull();
    const {stdout} = await a.rig.shell(
      `grep -rlE 'SECRET[0-9]+' ${quoted(a.rig.home)} || echo nothing; ps -eo args | grep -E 'SECRET[0-9]+' | grep -v grep || echo no process`,
    );
    expect(stdout).toBe('nothing\nno process\n');
  });
});

describe('V9: the three rows of the document, on the stand-in', () => {
  it('come out in the document’s order: cold waits, warm does not (all three timed: bench cold-warm)', {
    timeout: 60_000,
  }, async ({expect}) => {
    await using a = await createAgentVmRig({version: '0.1.20', latencies: documentLatencies});
    await using slow = await startDelayProxy({target: a.github.port, delay: documentNetwork.ghApiUser, mode: 'tcp'});
    const env = {...a.env, GH_HOST: `localhost:${slow.port}`};
    await a.rig.startDaemon();
    await a.rig.shell(`${quoted(a.agentVm.path)} shell true`, {env});
    // On a machine under other load gh may be over its 3 s; then that launch shows nothing, and is done again from cold.
    let cold: LaunchRecord;
    do {
      await a.rig.shell(`rm -rf ${quoted(join(a.state, 'cache'))} "$HOME/.cache/bootcut/answers"/*`);
      await a.rig.run(['shell', 'true'], {env});
      cold = await a.rig.lastRecord();
    } while (cold.temperature !== 'cold' || step(cold.steps, 'git-identity/github')?.state !== 'read');
    await a.rig.run(['shell', 'true'], {env});
    const warm = await a.rig.lastRecord();
    expect([cold.temperature, warm.temperature]).toEqual(['cold', 'warm']);
    // counted, not timed: the cold launch asked and waited, the warm one did neither
    expect(step(warm.steps, 'git-identity/github')?.state).toBe('fresh');
    expect(cold.waited).toBeGreaterThan(documentNetwork.ghApiUser / 2);
    expect(warm.waited).toBeLessThan(cold.waited);
  });
});

const hangingRegistry = async (
  a: Awaited<ReturnType<typeof createAgentVmRig>>,
): Promise<{readonly proxy: DelayProxy; readonly env: Record<string, string>}> => {
  const proxy = await startDelayProxy({target: a.registry.port});
  proxy.hold();
  const image = a.pushed.reference.replace(`:${a.registry.port}/`, `:${proxy.port}/`);
  return {proxy, env: {...a.env, AGENT_VM_IMAGE_TAG: image}};
};
