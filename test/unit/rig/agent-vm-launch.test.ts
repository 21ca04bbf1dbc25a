import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, stat, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {type AgentVmOptions, makeAgentVm} from '../../rig/agent-vm.js';
import {ghEnv, startGitHub} from '../../rig/github.js';
import {requireProgram, run} from '../../rig/program.js';
import {makeProject, type ProjectOptions} from '../../rig/project.js';

const ANN = {login: 'ann', id: 583_231, name: 'Ann Lee', email: null};
const ANN_LINE = '==> Git author identity: Ann Lee <583231+ann@users.noreply.github.com> (gh:ann)\n';
const QUIET = '--no-update-check';

async function makeRig(options: AgentVmOptions = {}, projectOptions: ProjectOptions = {}) {
  requireProgram('gh', 'gh');
  const github = await startGitHub({users: {'token-ann': ANN}});
  const project = await makeProject(projectOptions);
  const agentVm = await makeAgentVm(options);
  const env = {...project.env, ...ghEnv(github, {token: 'token-ann', authToken: 'token-dotcom'})};
  return {
    github,
    project,
    agentVm,
    identityFile: join(project.state, 'cache/host-git-identity'),
    launch: (args: readonly string[] = ['shell', QUIET, 'true'], more: Record<string, string> = {}) =>
      run([agentVm.path, ...args], {cwd: project.dir, env: {...env, ...more}}),
    lastRun: async () => (await agentVm.runs()).at(-1),
    [Symbol.asyncDispose]: async () => {
      await agentVm[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

const REMOTE = {remotes: {origin: 'https://github.com/o/r.git'}};

const stateOf = (stderr: string): string => /\(state: (.*)\)/.exec(stderr)?.[1] ?? '';

describe('the order of a launch', () => {
  test('msb, git, gh auth token, gh api user, each with its exact arguments', async ({expect}) => {
    await using rig = await makeRig({}, REMOTE);
    const {status, stderr} = await rig.launch();
    expect(status).toBe(0);
    const git = [
      ...['git', '-c', 'core.fsmonitor=', '-c', 'core.fsmonitorHookVersion=', '-c', 'core.pager=cat'],
      ...['-c', 'core.editor=:', '-c', 'safe.directory=*', '-c', 'protocol.allow=never'],
      ...['-C', rig.project.dir, 'remote', '-v'],
    ];
    const msb = [join(rig.agentVm.dir, 'msb'), '--version'];
    expect((await rig.lastRun())?.calls).toEqual([msb, git, ['gh', 'auth', 'token'], ['gh', 'api', 'user']]);
    const lines = stderr.split('\n').filter((line) => line.startsWith('==>'));
    expect(lines.map((line) => line.replace(/^==> (\S+ \S+).*$/, '$1'))).toEqual([
      expect.stringMatching(/^agent-vm-[0-9a-f]{12}-\d+ in$/),
      'Project path',
      'GitHub repo',
      'Git author',
      'Booting sandbox',
      'Running bash',
      'Stopping sandbox',
    ]);
    expect(stderr).toContain(ANN_LINE);
  });

  test('without repositories, gh is asked for the user only, also with --no-git', async ({expect}) => {
    await using rig = await makeRig({}, REMOTE);
    const {stderr} = await rig.launch(['shell', QUIET, '--no-git', 'true']);
    expect(stderr).toContain('==> GitHub repo scope: <none> (no api.github.com access)\n');
    expect((await rig.lastRun())?.calls.slice(1)).toEqual([['gh', 'api', 'user']]);
  });

  test('writes the state of the project, with tokens outside of what the guest sees', async ({expect}) => {
    await using rig = await makeRig({}, REMOTE);
    const state = stateOf((await rig.launch()).stderr);
    const modes = ['gitconfig', 'gh-config/hosts.yml', '../cache/host-git-identity', '.refresh.lock'].map(
      async (name) => ((await stat(join(state, name))).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(['600', '600', '600', '644']);
    expect((await stat(`${state}.secrets`)).mode & 0o777).toBe(0o700);
    expect(await readFile(`${state}.secrets/gh`, 'utf8')).toBe('token-dotcom');
    expect(await readFile(join(state, 'gh-config/hosts.yml'), 'utf8')).not.toContain('token-dotcom');
    const name = await run(['git', 'config', '-f', join(state, 'gitconfig'), 'user.name']);
    expect(name.stdout).toBe('Ann Lee\n');
  });

  test('a launch waits for the lock of its project before it asks gh', async ({expect}) => {
    await using rig = await makeRig({version: '0.1.18'});
    const lock = join(stateOf((await rig.launch()).stderr), '.refresh.lock');
    const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; read -r _'], {stdio: ['pipe', 'pipe', 'inherit']});
    await once(holder.stdout, 'data');
    const launched = rig.launch();
    const {ino} = await stat(lock);
    await expect.poll(() => readFile('/proc/locks', 'utf8')).toMatch(new RegExp(`-> FLOCK .*:${ino} `));
    expect(rig.github.requests.length).toBe(1);
    holder.stdin.end('\n');
    expect((await launched).status).toBe(0);
    expect(rig.github.requests.length).toBe(2);
  });

  test('empty state variables count as set and give relative roots', async ({expect}) => {
    await using rig = await makeRig();
    const verbatim = await rig.launch(['shell', QUIET, 'true'], {AGENT_VM_STATE_DIR: ''});
    expect(stateOf(verbatim.stderr)).toMatch(/^[0-9a-f]{12}$/);
    const {PATH = '', HOME = ''} = rig.project.env;
    const env = {PATH, HOME, XDG_STATE_HOME: ''};
    const relative = await run([rig.agentVm.path, 'shell', QUIET, 'true'], {cwd: rig.project.dir, env});
    expect(stateOf(relative.stderr)).toMatch(/^agent-vm\/[0-9a-f]{12}$/);
  });

  test('an msb without the mark of the patched build ends the launch', async ({expect}) => {
    await using rig = await makeRig({msbVersion: 'msb 0.4.6'});
    const {status, stderr} = await rig.launch();
    expect(status).toBe(1);
    expect(stderr).toContain('is the upstream microsandbox binary');
  });

  test('a sandbox whose launcher is gone is removed, one whose launcher lives is not', async ({expect}) => {
    await using rig = await makeRig();
    const hash = stateOf((await rig.launch()).stderr).slice(-12);
    const sandboxes = join(rig.project.state, 'msb-home/sandboxes');
    const dead = join(sandboxes, `agent-vm-${hash}-4194999`);
    const living = join(sandboxes, `agent-vm-${hash}-${process.pid}`);
    await Promise.all([dead, living].map((path) => mkdir(path, {recursive: true})));
    await rig.launch();
    await expect(stat(dead)).rejects.toThrow('ENOENT');
    await expect(stat(living)).resolves.toBeDefined();
  });
});

describe('repositories', () => {
  const scope = (stderr: string) => /GitHub repo scope(.*)\n/.exec(stderr)?.[1];

  test('are taken from the accepted forms of remotes, once each, first spelling kept', async ({expect}) => {
    const remotes = {
      a: 'https://github.com/O/r.git',
      b: 'git@github.com:o/R',
      c: 'ssh://git@github.com:443/p/q.git/',
      d: 'https://user@github.com/x/y',
      e: 'git://github.com/x/y',
      f: 'https://GitHub.com/x/y',
      g: 'http://github.com/s/t.git.git',
    };
    await using rig = await makeRig({}, {remotes});
    expect(scope((await rig.launch()).stderr)).toBe(' (3): O/r, p/q, s/t.git');
  });

  test('are taken from .gitmodules, but not through a symbolic link', async ({expect}) => {
    await using rig = await makeRig({}, REMOTE);
    const modules = '[submodule "m"]\n\turl = https://github.com/sub/module.git\n';
    await writeFile(join(rig.project.dir, '.gitmodules'), modules);
    expect(scope((await rig.launch()).stderr)).toBe(' (2): o/r, sub/module');
    const linked = `mv .gitmodules elsewhere && ln -s elsewhere .gitmodules`;
    await run(['sh', '-c', linked], {cwd: rig.project.dir});
    expect(scope((await rig.launch()).stderr)).toBe(' (1): o/r');
  });

  test("a global insteadOf is ignored, and the repository's own fsmonitor never runs", async ({expect}) => {
    await using rig = await makeRig({}, {remotes: {origin: 'gh:o/r'}});
    const {project} = rig;
    await writeFile(join(project.home, '.gitconfig'), '[url "https://github.com/"]\n\tinsteadOf = gh:\n');
    await run(['git', '-C', project.dir, 'config', 'core.fsmonitor', `touch ${project.home}/ran; false`]);
    expect(scope((await rig.launch()).stderr)).toBe(': <none> (no api.github.com access)');
    await expect(stat(join(project.home, 'ran'))).rejects.toThrow('ENOENT');
  });
});

describe('the identity', () => {
  test('from v0.1.20 is written as three lines and then read instead of asking gh', async ({expect}) => {
    await using rig = await makeRig({version: '0.1.20'});
    await rig.launch();
    expect(await readFile(rig.identityFile, 'utf8')).toBe('Ann Lee\n583231+ann@users.noreply.github.com\nann\n');
    expect((await rig.launch()).stderr).toContain(ANN_LINE);
    expect((await rig.lastRun())?.calls.slice(1).map(([name]) => name)).toEqual(['git']);
    expect(rig.github.requests.length).toBe(1);
  });

  test.for(['0.1.14', '0.1.17', '0.1.18'] as const)(
    'in v%s is asked at every launch, file or not',
    async (version, {expect}) => {
      await using rig = await makeRig({version});
      await mkdir(join(rig.project.state, 'cache'), {recursive: true});
      await writeFile(rig.identityFile, 'Cached\nc@example.com\n\n');
      for (let launches = 1; launches <= 2; launches += 1) {
        expect((await rig.launch()).stderr).toContain(ANN_LINE);
        expect(rig.github.requests.length).toBe(launches);
      }
      expect(await readFile(rig.identityFile, 'utf8')).toBe('Cached\nc@example.com\n\n');
    },
  );

  test.for<[string, string, number]>([
    ['older than a day', 'Cached\nc@example.com\n\n', -25 * 3600],
    ['from the future', 'Cached\nc@example.com\n\n', 3600],
    ['without an e-mail', 'Cached\n\nann\n', 0],
    ['with a control byte', 'Ca\u001bched\nc@example.com\n\n', 0],
  ])('a file %s is a miss and is replaced', async ([, text, seconds], {expect}) => {
    await using rig = await makeRig();
    await mkdir(join(rig.project.state, 'cache'), {recursive: true});
    await writeFile(rig.identityFile, text);
    const time = Date.now() / 1000 + seconds - 1;
    await utimes(rig.identityFile, time, time);
    expect((await rig.launch()).stderr).toContain(ANN_LINE);
    expect(await readFile(rig.identityFile, 'utf8')).toContain('Ann Lee\n');
  });

  test('falls back to the global gitconfig, which is cached too; a total miss is not', async ({expect}) => {
    await using rig = await makeRig({}, {gitUser: {name: 'Local', email: 'l@example.com'}});
    rig.github.setUser('token-ann', null);
    expect((await rig.launch()).stderr).toContain('==> Git author identity: Local <l@example.com>\n');
    expect(await readFile(rig.identityFile, 'utf8')).toBe('Local\nl@example.com\n\n');
    await using nobody = await makeRig();
    nobody.github.setUser('token-ann', null);
    expect((await nobody.launch()).stderr).toContain('==> Git author identity: <none> (gh not logged in');
    await expect(stat(nobody.identityFile)).rejects.toThrow('ENOENT');
  });

  test.for<[string, object]>([
    ['without login', {id: 1, name: 'N', email: 'n@example.com'}],
    ['with a login of another alphabet', {login: 'a_b', id: 1}],
    ['with a newline in the name', {login: 'ann', id: 1, name: 'A\n[core]'}],
    ['without e-mail and id', {login: 'ann', name: 'A', email: null}],
  ])('an answer %s is refused as a whole', async ([, body], {expect}) => {
    await using rig = await makeRig({}, {gitUser: {name: 'Local', email: 'l@example.com'}});
    rig.github.answer({path: '/user'}, {body});
    expect((await rig.launch()).stderr).toContain('==> Git author identity: Local <l@example.com>\n');
  });

  test('a gh that hangs is killed and the gitconfig used', async ({expect}) => {
    await using rig = await makeRig({}, {gitUser: {name: 'Local', email: 'l@example.com'}});
    rig.github.answer({path: '/user'}, {fault: 'hang'});
    expect((await rig.launch()).stderr).toContain('==> Git author identity: Local <l@example.com>\n');
  });
});
