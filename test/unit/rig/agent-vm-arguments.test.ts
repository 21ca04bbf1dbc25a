import {describe, test} from 'vitest';
import {type AgentVmRun, type AgentVmVersion, makeAgentVm} from '../../rig/agent-vm.js';
import {type Finished, run} from '../../rig/program.js';
import {makeProject} from '../../rig/project.js';

type Launched = Finished & {readonly seen: AgentVmRun | undefined; readonly guestArgv: readonly string[]};

/** Runs the stand-in of a version without look-ups that reach out: no gh and no registry on this PATH. */
async function launcher(version: AgentVmVersion = '0.1.28') {
  const guest = '#!/bin/bash\n[ $# -eq 0 ] || printf "%s\\0" "$@"\n';
  const agentVm = await makeAgentVm({version, guestBin: {claude: guest, codex: guest, opencode: guest}});
  const project = await makeProject();
  return {
    launch: async (args: readonly string[], env: Record<string, string> = {}): Promise<Launched> => {
      const withoutGh = {...project.env, PATH: '/nowhere'};
      const finished = await run([agentVm.path, ...args], {cwd: project.dir, env: {...withoutGh, ...env}});
      const seen = (await agentVm.runs()).at(-1);
      return {...finished, seen, guestArgv: finished.stdout.split('\0').slice(0, -1)};
    },
    [Symbol.asyncDispose]: async () => {
      await agentVm[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

const QUIET = '--no-update-check';

describe('where the trailing region starts', () => {
  test.for<[string, string[], string[]]>([
    ['a bare word', ['word', QUIET], ['word', QUIET]],
    ['--, which is swallowed', ['--', QUIET, '--help'], [QUIET, '--help']],
    ['--, passed through later', ['x', '--', 'y'], ['x', '--', 'y']],
    ['a second --', ['--', '--', 'x'], ['--', 'x']],
    ['-', ['-', QUIET], ['-', QUIET]],
    ['an empty string', ['', QUIET], ['', QUIET]],
    ['an unknown long option', ['--model', 'opus', '--memory', 'x'], ['--model', 'opus', '--memory', 'x']],
    ['an unknown short option', ['-c', '--version'], ['-c', '--version']],
    ['an abbreviation', ['--mem', '4'], ['--mem', '4']],
    ['a version option, which only the top level has', ['--version'], ['--version']],
    ['-p with an attached value', ['-p8080:80'], ['-p8080:80']],
    ['-p with an equals sign', ['-p=8080:80'], ['-p=8080:80']],
  ])('%s', async ([, args, guest], {expect}) => {
    await using rig = await launcher();
    const {status, guestArgv} = await rig.launch(['codex', QUIET, ...args]);
    expect(status).toBe(0);
    expect(guestArgv).toEqual(guest);
  });

  test('claude gets its default flag before the arguments, unless they hold it', async ({expect}) => {
    await using rig = await launcher();
    expect((await rig.launch(['claude', QUIET, 'a b'])).guestArgv).toEqual(['--dangerously-skip-permissions', 'a b']);
    const given = ['x', '--dangerously-skip-permissions'];
    expect((await rig.launch(['claude', QUIET, ...given])).guestArgv).toEqual(given);
  });
});

describe('options', () => {
  test('take values apart or after an equals sign, and repeat where they are lists', async ({expect}) => {
    await using rig = await launcher();
    const ports = ['-p', '8080:80', '--publish=9090:90/tcp', '--publish', '[::1]:7070:70'];
    const sizes = ['--memory=3', '--cpus', '5', '--repo', 'a/b', '--repo=c/d', '--repo', 'A/B'];
    const {stderr, status} = await rig.launch([
      'codex',
      QUIET,
      ...ports,
      ...sizes,
      '--allow-egress',
      '10.0.0.1',
      '--allow-host',
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain('==> GitHub repo scope (2): a/b, c/d\n');
    expect(stderr).toContain('==> Publishing host 127.0.0.1:8080/tcp → guest :80\n');
    expect(stderr).toContain('==> Publishing host 127.0.0.1:9090/tcp → guest :90\n');
    expect(stderr).toContain('==> Publishing host ::1:7070/tcp → guest :70\n');
    expect(stderr).toContain('==> Egress policy: allowing 10.0.0.1/32\n');
    expect(stderr).toContain('(3072 MiB, 5 vCPU; first run pulls layers, otherwise ~3s)\n');
  });

  test('take the next token as value even with a hyphen, unless it is an option itself', async ({expect}) => {
    await using rig = await launcher();
    const {stderr} = await rig.launch(['codex', QUIET, '--repo', '--unknown', 'x']);
    expect(stderr).toContain('==> GitHub repo scope (1): --unknown\n');
    const missing = await rig.launch(['codex', '--repo', QUIET]);
    expect(missing).toMatchObject({status: 2, stdout: ''});
    expect(missing.stderr).toContain("a value is required for '--repo <OWNER/REPO>' but none was supplied");
  });

  test.for<[string[], string]>([
    [['shell', QUIET, QUIET], "the argument '--no-update-check' cannot be used multiple times"],
    [['shell', '--memory', '1', '--memory=1'], "the argument '--memory <GIB>' cannot be used multiple times"],
    [['shell', '--image', 'a', '--image', 'b'], "the argument '--image <REF>' cannot be used multiple times"],
    [
      ['shell', '--no-update-check=true'],
      "unexpected value 'true' for '--no-update-check' found; no more were expected",
    ],
    [['shell', '--memory'], "a value is required for '--memory <GIB>' but none was supplied"],
    [['shell', '--memory', '--', 'x'], "a value is required for '--memory <GIB>' but none was supplied"],
    [['shell', '--memory', 'x'], "invalid value 'x' for '--memory <GIB>': invalid digit found in string"],
    [['shell', '--memory='], "invalid value '' for '--memory <GIB>': cannot parse integer from empty string"],
    [['shell', '--cpus', '256'], "invalid value '256' for '--cpus <N>': 256 is not in 0..=255"],
    [[QUIET, 'shell'], "unexpected argument '--no-update-check' found"],
    [['unknown'], "unrecognized subcommand 'unknown'"],
    [['pull', 'x'], "unexpected argument 'x' found"],
    [['setup', QUIET], "unexpected argument '--no-update-check' found"],
  ])('%j is a usage error: status 2, text on stderr, nothing started', async ([args, message], {expect}) => {
    await using rig = await launcher();
    const {status, stdout, stderr, seen} = await rig.launch(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(stderr).toContain("For more information, try '--help'.\n");
    expect(seen?.calls).toEqual([]);
  });

  test.for(['', 'x', '-1'])('a variable for the size that holds %j is a usage error', async (value, {expect}) => {
    await using rig = await launcher();
    for (const name of ['AGENT_VM_MEMORY_GIB', 'AGENT_VM_CPUS']) {
      expect((await rig.launch(['codex', QUIET], {[name]: value})).status).toBe(2);
    }
  });

  test('an option on the command line wins over its variable, which is then not even read', async ({expect}) => {
    await using rig = await launcher();
    const env = {AGENT_VM_MEMORY_GIB: '', AGENT_VM_CPUS: '7', AGENT_VM_IMAGE_TAG: 'from-variable'};
    const {stderr} = await rig.launch(['codex', QUIET, '--memory', '1'], env);
    expect(stderr).toContain('==> Booting sandbox from from-variable (1024 MiB, 7 vCPU;');
  });

  test.for<[string[], string]>([
    [['--mount', 'relative'], '--mount host path "relative" must be absolute'],
    [['--mount', '/no/such/dir'], 'canonicalizing --mount host "/no/such/dir"'],
    [['--publish', '53:53/udp'], 'UDP is not yet supported'],
    [['--publish', '0:80'], 'port 0 is not allowed'],
    [['--allow-egress', 'example'], 'not an IP address or CIDR'],
  ])('%j is refused by the launch itself: status 1', async ([args, cause], {expect}) => {
    await using rig = await launcher();
    const {status, stderr} = await rig.launch(['codex', QUIET, ...args]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Error: parsing --\w[\w-]+\n\nCaused by:\n {4}/m);
    expect(stderr).toContain(cause);
  });
});

describe('help and version', () => {
  test('go to stdout with status 0, before the subcommand or among its options', async ({expect}) => {
    await using rig = await launcher('0.1.20');
    expect(await rig.launch(['--version'])).toMatchObject({status: 0, stdout: 'agent-vm 0.1.20\n', stderr: ''});
    expect(await rig.launch(['-V', 'shell'])).toMatchObject({status: 0, stdout: 'agent-vm 0.1.20\n'});
    expect((await rig.launch(['--help'])).stdout).toContain('Usage: agent-vm <COMMAND>');
    expect((await rig.launch(['shell', QUIET, '-h'])).stdout).toContain('Usage: agent-vm shell [OPTIONS]');
    expect((await rig.launch(['shell', QUIET, '--help', '--nonsense'])).status).toBe(0);
  });

  test('come to stderr with status 2 when there is no subcommand', async ({expect}) => {
    await using rig = await launcher();
    const {status, stdout, stderr} = await rig.launch([]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: agent-vm <COMMAND>');
  });
});

describe('releases', () => {
  test.for<[AgentVmVersion, string[]]>([
    ['0.1.14', ['-p', '8080:80']],
    ['0.1.14', ['--auto-publish']],
    ['0.1.14', ['--allow-lan']],
    ['0.1.17', ['--allow-host']],
  ])('%s does not know %j, so it goes to the guest', async ([version, args], {expect}) => {
    await using rig = await launcher(version);
    expect((await rig.launch(['codex', QUIET, ...args])).guestArgv).toEqual(args);
  });

  test.for<[AgentVmVersion, string[]]>([
    ['0.1.17', ['-p', '8080:80', '--auto-publish', '--allow-lan']],
    ['0.1.18', ['--allow-host']],
  ])('%s knows %j', async ([version, args], {expect}) => {
    await using rig = await launcher(version);
    expect((await rig.launch(['codex', QUIET, ...args])).guestArgv).toEqual([]);
  });

  test('copilot is a subcommand from v0.1.24 on, and needs a token', async ({expect}) => {
    await using older = await launcher('0.1.20');
    expect(await older.launch(['copilot'])).toMatchObject({status: 2});
    await using newer = await launcher('0.1.28');
    const {status, stderr} = await newer.launch(['copilot', QUIET]);
    expect(status).toBe(1);
    expect(stderr).toContain('Error: no GitHub Copilot token found on the host.\n');
  });
});
