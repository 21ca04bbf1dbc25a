import {type SpawnSyncReturns, spawnSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Json, PlanEdit} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {ghShimEdits} from '../../../../plugins/agent-vm/src/gh-shim.js';
import {requireProgram} from '../../../rig/program.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {applyPlan} from './apply-plan.js';
import {makeLaunch} from './launch.js';

const ann = {login: 'ann', id: 7, name: 'Ann "Q" Lée\\', email: null};
const answers: Readonly<Record<string, Json>> = {'git-identity/github': ann};

/** Shells that are /bin/sh somewhere and are installed here. */
const shells = ['/bin/dash', '/bin/bash', '/bin/busybox'].filter((path) => existsSync(path));

let root = '';
let env: Record<string, string> = {};
beforeEach(async () => {
  root = await temporaryDirectory("gh shim's");
  env = {HOME: root, PATH: `${root}/first:${root}/real:/usr/bin:/bin`};
  // The real one prints what it sees, byte for byte, and has an exit status of its own.
  put('real/gh', `#!/bin/sh\nprintf 'real:%s:' "$PATH"\nprintf '<%s>' "$@"\necho to stderr >&2\nexit 42\n`, 0o755);
  put('first/gh', 'not executable', 0o644);
  put('.config/gh/hosts.yml', 'github.com:\n    user: ann\n', 0o600);
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

function put(path: string, text: string, mode: number): void {
  const full = join(root, path);
  mkdirSync(dirname(full), {recursive: true});
  writeFileSync(full, text, {mode});
  chmodSync(full, mode);
}

const plan = (): readonly PlanEdit[] => ghShimEdits(makeLaunch({env, cwd: root}), answers);

/** Installs the shim and gives the environment a target has with it. */
const install = async (): Promise<Record<string, string>> =>
  (await applyPlan(makeLaunch({env, cwd: root}), plan())).env;

const gh = (targetEnv: Record<string, string>, ...args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync('gh', args, {env: targetEnv, cwd: root, encoding: 'utf8'});

describe('the gh shim', () => {
  test('answers `gh api user` with the four fields and nothing else, on one line', async ({expect}) => {
    const result = gh(await install(), 'api', 'user');
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout).toBe(`${JSON.stringify(ann)}\n`);
  });

  for (const shell of shells) {
    test(`answers and passes on under ${shell}`, async ({expect}) => {
      const target = await install();
      const script = join(target['PATH']?.split(':')[0] ?? '', 'gh');
      const argv = shell.endsWith('busybox') ? [shell, 'sh', script] : [shell, script];
      const go = (...args: readonly string[]): SpawnSyncReturns<string> =>
        spawnSync(argv[0] ?? '', [...argv.slice(1), ...args], {env: target, cwd: root, encoding: 'utf8'});
      expect(go('api', 'user').stdout).toBe(`${JSON.stringify(ann)}\n`);
      expect(go('auth', 'token')).toMatchObject({status: 42, stdout: `real:${env['PATH']}:<auth><token>`});
    });
  }

  for (const args of [
    ['auth', 'token'],
    ['api', 'user', ''],
    ['api', 'user', '--jq', '.login'],
    ['api'],
    ['api', 'users'],
    [],
    ['', 'a b', '$HOME', '*', "it's", 'n\nl', '\\', '-n', '--', 'ü'],
  ]) {
    test(`passes on ${JSON.stringify(args)} byte for byte, with the status and stderr of the real one`, async ({
      expect,
    }) => {
      const result = gh(await install(), ...args);
      const shown = args.length === 0 ? '<>' : args.map((item) => `<${item}>`).join('');
      expect(result).toMatchObject({status: 42, stderr: 'to stderr\n', stdout: `real:${env['PATH']}:${shown}`});
    });
  }

  test('the real one sees the PATH it would have seen, empty items included', async ({expect}) => {
    env['PATH'] = `${root}/real::/usr/bin:`;
    const result = gh(await install(), 'x');
    expect(result.stdout).toBe(`real:${root}/real::/usr/bin::<x>`);
  });

  test('two shims in front of each other do not call each other for ever', async ({expect}) => {
    const original = env['PATH'];
    env = await install();
    env['GH_HOST'] = 'ghe.example.org';
    const both = await install();
    expect(both['PATH']?.split(':')[0]).not.toBe(env['PATH']?.split(':')[0]);
    expect(gh(both, 'x')).toMatchObject({status: 42, stdout: `real:${original}:<x>`});
  });

  for (const [what, change] of [
    ['GH_TOKEN', {GH_TOKEN: 't'}],
    ['GITHUB_TOKEN', {GITHUB_TOKEN: 't'}],
    ['GH_ENTERPRISE_TOKEN', {GH_ENTERPRISE_TOKEN: 't'}],
    ['GH_HOST', {GH_HOST: 'ghe.example.org'}],
    ['GH_CONFIG_DIR', {GH_CONFIG_DIR: '/elsewhere'}],
    ['XDG_CONFIG_HOME', {XDG_CONFIG_HOME: '/elsewhere'}],
    ['HOME', {HOME: '/elsewhere'}],
  ] as const) {
    test(`another ${what} than at planning time asks the real one`, async ({expect}) => {
      const target = {...(await install()), ...change};
      expect(gh(target, 'api', 'user').stdout).toContain('real:');
    });
  }

  test('a person at a terminal gets the real one', async ({expect}) => {
    const script = requireProgram('script', 'bsdutils');
    const onTerminal = ['-qec', 'gh api user', '/dev/null'];
    const result = spawnSync(script, onTerminal, {env: await install(), cwd: root, encoding: 'utf8'});
    expect(result).toMatchObject({status: 42, stdout: expect.stringContaining('<api><user>')});
  });

  test('an empty token variable is none, as for gh', async ({expect}) => {
    env['GH_TOKEN'] = '';
    expect(gh(await install(), 'api', 'user').stdout).toContain('"login":"ann"');
  });

  test('an account switch or log-out after planning asks the real one', async ({expect}) => {
    const target = await install();
    const later = Date.now() / 1000 + 5;
    utimesSync(join(root, '.config/gh/hosts.yml'), later, later);
    expect(gh(target, 'api', 'user').stdout).toContain('real:');
    rmSync(join(root, '.config/gh/hosts.yml'));
    expect(gh(target, 'api', 'user').stdout).toContain('real:');
  });

  test('a log-in after planning asks the real one', async ({expect}) => {
    rmSync(join(root, '.config/gh/hosts.yml'));
    const target = await install();
    expect(gh(target, 'api', 'user').stdout).toContain('"login":"ann"');
    put('.config/gh/hosts.yml', 'github.com:\n    user: bob\n', 0o600);
    expect(gh(target, 'api', 'user').stdout).toContain('real:');
  });

  test('an answer that cannot be read asks the real one, without a word', async ({expect}) => {
    const target = await install();
    rmSync(join(target['PATH']?.split(':')[0] ?? '', 'user.json'));
    expect(gh(target, 'api', 'user')).toMatchObject({status: 42, stderr: 'to stderr\n'});
  });
});

describe('the files of the gh shim', () => {
  test('the script may be run and the answer read by nobody else', async ({expect}) => {
    const directory = (await install())['PATH']?.split(':')[0] ?? '';
    expect(directory.startsWith(join(root, '.cache/bootcut/shims/'))).toBe(true);
    expect(readdirSync(directory).sort()).toEqual(['gh', 'user.json']);
    expect(statSync(join(directory, 'gh')).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'user.json')).mode & 0o777).toBe(0o600);
  });

  test('XDG_CACHE_HOME is used when it is absolute', ({expect}) => {
    env['XDG_CACHE_HOME'] = `${root}/xdg`;
    expect(plan()[0]).toMatchObject({path: expect.stringContaining(`${root}/xdg/bootcut/shims/`)});
    env['XDG_CACHE_HOME'] = 'relative';
    expect(plan()[0]).toMatchObject({path: expect.stringContaining(`${root}/.cache/bootcut/shims/`)});
  });

  test('with a token variable there is no shim, so that nothing of a token is kept', ({expect}) => {
    env['GH_TOKEN'] = 'SECRET456';
    expect(plan()).toEqual([]);
  });

  test('without an answer, a real gh, a PATH or a cache directory there is no shim', ({expect}) => {
    expect(ghShimEdits(makeLaunch({env}), {})).toEqual([]);
    expect(ghShimEdits(makeLaunch({env}), {'git-identity/github': {...ann, login: 'not valid'}})).toEqual([]);
    expect(ghShimEdits(makeLaunch({env: {...env, PATH: `${root}/first`}}), answers)).toEqual([]);
    expect(ghShimEdits(makeLaunch({env: {...env, PATH: ''}, cwd: join(root, 'real')}), answers)).toEqual([]);
    const {HOME: _, ...homeless} = env;
    expect(ghShimEdits(makeLaunch({env: {...homeless, GH_CONFIG_DIR: root}}), answers)).toEqual([]);
  });

  test('a directory that others can write to, or a link, is not put on PATH', ({expect}) => {
    expect(plan()).not.toEqual([]);
    mkdirSync(join(root, '.cache/bootcut/shims'), {recursive: true, mode: 0o700});
    chmodSync(join(root, '.cache/bootcut/shims'), 0o777);
    expect(plan()).toEqual([]);
    rmSync(join(root, '.cache/bootcut/shims'), {recursive: true});
    chmodSync(join(root, '.cache/bootcut'), 0o770);
    expect(plan()).toEqual([]);
    chmodSync(join(root, '.cache/bootcut'), 0o700);
    expect(plan()).not.toEqual([]);
    mkdirSync(join(root, 'other'));
    symlinkSync('../../other', join(root, '.cache/bootcut/shims'));
    expect(plan()).toEqual([]);
  });

  test('nothing is made below a directory of somebody else, or one that is open to all', ({expect}) => {
    mkdirSync(join(root, '.cache'));
    chmodSync(join(root, '.cache'), 0o777);
    expect(plan()).toEqual([]);
    chmodSync(join(root, '.cache'), 0o775);
    expect(plan()).not.toEqual([]);
  });

  test('the script names neither login nor e-mail: they are in the private file alone', async ({expect}) => {
    const directory = (await install())['PATH']?.split(':')[0] ?? '';
    expect(readFileSync(join(directory, 'gh'), 'utf8')).not.toMatch(/ann/i);
  });
});
