import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdir, readFile, realpath, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {type AgentVmOptions, makeAgentVm} from '../../rig/agent-vm.js';
import {run} from '../../rig/program.js';
import {makeProject} from '../../rig/project.js';

const QUIET = '--no-update-check';

async function makeRig(options: AgentVmOptions = {}) {
  const agentVm = await makeAgentVm(options);
  const project = await makeProject();
  const env = {...project.env, PATH: '/nowhere'};
  const argv = (args: readonly string[]) => [agentVm.path, 'shell', QUIET, ...args];
  return {
    agentVm,
    project,
    env,
    launch: (args: readonly string[], more: Record<string, string> = {}, input?: string) =>
      run(argv(args), {cwd: project.dir, env: {...env, ...more}, ...(input === undefined ? {} : {input})}),
    start: (args: readonly string[]) => {
      const [program = '', ...rest] = argv(args);
      return spawn(program, rest, {cwd: project.dir, env, stdio: ['ignore', 'pipe', 'pipe']});
    },
    lastRun: async () => (await agentVm.runs()).at(-1),
    [Symbol.asyncDispose]: async () => {
      await agentVm[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

/** A process that has ended may wait for init to collect it. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tgone');
  return !/^State:\t(gone|Z|X)/m.test(status);
}

describe('the guest', () => {
  test('gets each argument as it is', async ({expect}) => {
    await using rig = await makeRig();
    const args = ['a b', "it's", '$HOME', '', '`id`', '\\', '*', 'é'];
    expect((await rig.launch(['printf', '<%s>', ...args])).stdout).toBe(args.map((text) => `<${text}>`).join(''));
  });

  test('gets the guest environment and none of the host but API keys', async ({expect}) => {
    await using rig = await makeRig();
    const env = {ANTHROPIC_API_KEY: 'k1', OPENAI_API_KEY: '', SECRET: 's'};
    const {stdout} = await rig.launch(['sh', '-c', 'pwd; env'], env);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(rig.project.dir);
    expect(lines).toEqual(expect.arrayContaining(['IS_SANDBOX=1', 'LANG=C.UTF-8', 'ANTHROPIC_API_KEY=k1']));
    expect(lines).toContain('CODEX_HOME=/agent-vm-state/codex');
    expect(stdout).not.toMatch(/^(SECRET|OPENAI_API_KEY|AGENT_VM_STATE_DIR)=/m);
    expect(stdout).toMatch(/^PATH=\/root\/\.local\/bin:/m);
  });

  test('has no stdin without a terminal, and its stderr is mixed into ours', async ({expect}) => {
    await using rig = await makeRig();
    const {stdout, stderr} = await rig.launch(['sh', '-c', 'cat; echo to stderr >&2'], {}, 'not for the guest');
    expect(stdout).toBe('');
    expect(stderr).toContain(
      '==> Running bash in sandbox (no TTY; streaming output)\nto stderr\n==> Stopping sandbox\n',
    );
  });

  test.for([0, 1, 7, 200, 255])('ends with %i, and so does the launch', async (code, {expect}) => {
    await using rig = await makeRig();
    expect((await rig.launch(['sh', '-c', `exit ${code}`])).status).toBe(code);
  });

  test('that is not there gives 127, one that dies of a signal 128 and its number', async ({expect}) => {
    await using rig = await makeRig();
    expect((await rig.launch(['no-such-program-xyz'])).status).toBe(127);
    expect((await rig.launch(['sh', '-c', 'kill -TERM $$'])).status).toBe(143);
  });

  test("runs the project's .agent-vm.runtime.sh first, whose failure is the outcome", async ({expect}) => {
    await using rig = await makeRig();
    const hook = join(rig.project.dir, '.agent-vm.runtime.sh');
    await writeFile(hook, 'export FROM_HOOK=1\n');
    expect((await rig.launch(['sh', '-c', 'echo $FROM_HOOK'])).stdout).toBe('1\n');
    await writeFile(hook, 'return 9\n');
    expect(await rig.launch(['echo', 'never'])).toMatchObject({status: 9, stdout: ''});
  });

  test('writes more than a pipe holds without loss', async ({expect}) => {
    await using rig = await makeRig();
    const {stdout} = await rig.launch(['sh', '-c', 'yes 0123456789abcde | head -c 1600000']);
    expect(stdout.length).toBe(1_600_000);
  });

  test('leaves nothing running behind', async ({expect}) => {
    await using rig = await makeRig();
    const {stdout} = await rig.launch(['sh', '-c', 'tail -f /dev/null & echo $!']);
    expect(await isRunning(Number(stdout))).toBe(false);
  });
});

describe('a signal without a terminal', () => {
  const counting = [
    'bash',
    '-c',
    'trap "echo INT; exit 3" INT; echo ready; while :; do read -t 10 -r < <(tail -f /dev/null); done',
  ];

  test('SIGINT reaches the guest once, and the launch ends with its status', async ({expect}) => {
    await using rig = await makeRig();
    const child = rig.start(counting);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([3, null]);
    expect(stdout).toBe('ready\nINT\n');
    expect((await rig.lastRun())?.status).toBe(3);
  });

  test.for(['SIGTERM', 'SIGINT'] as const)(
    '%s ends the launch by itself, as it ends the native one',
    async (signal, {expect}) => {
      await using rig = await makeRig({interrupt: 'die'});
      const child = rig.start(counting);
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([null, signal]);
      expect((await rig.lastRun())?.signal).toBe(signal);
    },
  );
});

test('on a terminal it attaches, and Ctrl-C reaches the guest once', async ({expect}) => {
  await using rig = await makeRig();
  const guest = `trap 'echo got INT; exit 5' INT; echo ready; while :; do read -r _; done`;
  const command = [rig.agentVm.path, 'shell', QUIET, 'bash', '-c', guest].map(
    (text) => `'${text.replaceAll("'", `'\\''`)}'`,
  );
  const terminal = spawn('/usr/bin/script', ['-qec', `exec ${command.join(' ')}`, '/dev/null'], {
    cwd: rig.project.dir,
    env: {...rig.env, SHELL: '/bin/sh', TERM: 'dumb'},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  terminal.stdout.setEncoding('utf8');
  terminal.stdout.on('data', (chunk: string) => {
    if (!output.includes('ready') && (output + chunk).includes('ready')) terminal.stdin.write('\u0003');
    output += chunk;
  });
  expect(await once(terminal, 'close')).toEqual([5, null]);
  expect(output).toContain('==> Attaching to bash\r\n');
  expect(output.split('got INT').length - 1).toBe(1);
  expect((await rig.lastRun())?.isTTY).toEqual([true, true, true]);
});

describe('profile lines', () => {
  const LINE = /^\[profile\] (create|run|stop|remove):\s+([0-9.]+)(ns|µs|ms|s)$/;

  test.for(['', '1', 'no'])('come on stderr when AGENT_VM_PROFILE is %j', async (value, {expect}) => {
    await using rig = await makeRig({latencies: {create: 1100}});
    const {stdout, stderr} = await rig.launch(['echo', 'x'], {AGENT_VM_PROFILE: value});
    const lines = stderr.split('\n').filter((line) => line.startsWith('[profile]'));
    expect(lines.map((line) => LINE.exec(line)?.[1])).toEqual(['create', 'run', 'stop', 'remove']);
    expect(lines[0]).toMatch(/^\[profile\] create: \d+(\.\d+)?s$/);
    expect(lines[1]).toMatch(/^\[profile\] run: {4}\S/);
    expect(stdout).toBe('x\n');
  });

  test('do not come otherwise', async ({expect}) => {
    await using rig = await makeRig();
    expect((await rig.launch(['true'])).stderr).not.toContain('[profile]');
  });

  test('write durations as Rust does', async ({expect}) => {
    const {rustDuration} = (await import(new URL('../../rig/stand-in/output.mjs', import.meta.url).href)) as {
      rustDuration: (milliseconds: number) => string;
    };
    const given = [1497.561083, 48.9, 2000, 0.0213, 0.000_412, 1200, 60_000];
    expect(given.map(rustDuration)).toEqual(['1.497561083s', '48.9ms', '2s', '21.3µs', '412ns', '1.2s', '60s']);
  });
});

describe('the sandbox', () => {
  test('has a runtime log to follow while it lives, and is gone at the end', async ({expect}) => {
    await using rig = await makeRig();
    const sandboxes = join(rig.project.state, 'msb-home/sandboxes');
    const script = `cat '${sandboxes}'/*/logs/runtime.log`;
    const {stdout} = await rig.launch(['sh', '-c', script]);
    expect(stdout).toMatch(
      /^20\d\d-\S+Z .*entering VM\n20\d\d-\S+Z .*agent relay: received core\.ready from agentd\n$/,
    );
    expect(await readdir(sandboxes)).toEqual([]);
  });

  test('that cannot be created ends the launch with its cause', async ({expect}) => {
    await using rig = await makeRig({createError: 'kvm: permission denied'});
    const {status, stderr} = await rig.launch(['true']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Error: creating sandbox\n\nCaused by:\n {4}kvm: permission denied\n$/);
  });

  test('with an image of another contract is refused', async ({expect}) => {
    await using rig = await makeRig({imageApiVersion: 2});
    const {status, stderr} = await rig.launch(['true']);
    expect(status).toBe(1);
    expect(stderr).toContain('Error: verifying image-API contract version');
  });
});

describe('the layouts', () => {
  test('a symbolic link to the binary still finds msb, a copy does not', async ({expect}) => {
    await using rig = await makeRig();
    const link = join(rig.project.home, 'agent-vm');
    await symlink(rig.agentVm.path, link);
    const linked = await run([link, 'shell', QUIET, 'true'], {cwd: rig.project.dir, env: rig.env});
    expect(linked.status).toBe(0);
    const copy = await run(['sh', '-c', `cp '${rig.agentVm.path}' copy && ./copy shell true`], {cwd: rig.project.dir});
    expect(copy.status).toBe(1);
  });

  test('the npm layout has a shim in front, which passes arguments and status on', async ({expect}) => {
    await using rig = await makeRig({layout: 'npm'});
    expect(await realpath(rig.agentVm.path)).toMatch(/@wirenboard\/agent-vm\/bin\/agent-vm\.js$/);
    expect(rig.agentVm.binary).toMatch(/@wirenboard\/agent-vm-linux-\w+\/bin\/agent-vm$/);
    const env = {PATH: process.env['PATH'] ?? ''};
    expect((await rig.launch(['sh', '-c', 'exit 7'], env)).status).toBe(7);
    const seen = await rig.lastRun();
    expect(seen?.argv).toEqual(['shell', QUIET, 'sh', '-c', 'exit 7']);
    expect(seen?.ppid).not.toBe(process.pid);
  });

  test('the shim says so when the platform package is missing', async ({expect}) => {
    await using rig = await makeRig({layout: 'npm'});
    const env = {...rig.env, PATH: process.env['PATH'] ?? ''};
    await run(['rm', '-r', join(rig.agentVm.binary, '../..')]);
    const {status, stderr} = await run([rig.agentVm.path, '--version'], {env});
    expect(status).toBe(1);
    expect(stderr).toContain('did not install');
  });
});
