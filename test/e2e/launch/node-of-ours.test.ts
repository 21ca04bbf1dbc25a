import {cp, mkdir, symlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, it} from 'vitest';
import {bootcut, fronts, LaunchRig, quoted} from '../../rig/launch-rig.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe.each(fronts)('variables for Node, $front', ({daemon, env}) => {
  it.for([
    ['NODE_OPTIONS', '--no-such-option'],
    ['NODE_OPTIONS', '--require ./no-such-file.js'],
    ['NODE_OPTIONS', '--inspect=0'],
    ['NODE_EXTRA_CA_CERTS', '/no/such/file'],
    ['NODE_DEBUG', 'net,module'],
    ['NODE_V8_COVERAGE', 'coverage'],
  ] as const)('%s=%s is for the target alone', async ([name, value], {expect}) => {
    await using rig = await LaunchRig.create({env});
    if (daemon) await rig.startDaemon();
    const tell = `printf %s "$${name}"; ls; exit 7`;
    const finished = await rig.run(['run', '--', 'sh', '-c', tell], {env: {[name]: value}});
    expect(finished).toEqual({status: 7, signal: null, stdout: value, stderr: ''});
  });

  it('a channel to the parent is the target’s: nothing that comes in is lost', async ({expect}) => {
    await using rig = await LaunchRig.create({env});
    if (daemon) await rig.startDaemon();
    const child = await rig.script(
      'child.cjs',
      `process.once('message', (text) => { process.send('got ' + text); process.disconnect(); });`,
    );
    const parent = await rig.script(
      'parent.mjs',
      `import {spawn} from 'node:child_process';
      const child = spawn(process.argv[2], ['run', '--', process.execPath, ${JSON.stringify(child)}], {stdio: ['ignore', 'inherit', 'inherit', 'ipc']});
      child.once('message', (text) => console.log(text)).once('exit', (status) => console.log(status));
      child.send('early');`,
    );
    const {stdout} = await rig.shell(`timeout 20 ${quoted(process.execPath)} ${quoted(parent)} ${quoted(bootcut)}`);
    expect(stdout).toBe('got early\n0\n');
  });
});

describe('a launch whose front has not what it needs', () => {
  it('finds the Node beside it where PATH has none', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1', BOOTCUT_FRONT: 'node'}});
    const links: readonly (readonly [string, string])[] = [
      ['global/lib/node_modules/bootcut', root],
      ['global/bin/bootcut', '../lib/node_modules/bootcut/bin/bootcut'],
      ['global/bin/node', process.execPath],
    ];
    for (const [name, target] of links) {
      await mkdir(dirname(join(rig.root, name)), {recursive: true});
      await symlink(target, join(rig.root, name));
    }
    const line = (path: string): string =>
      `PATH=/nonexistent ${quoted(join(rig.root, path))} run -- /bin/sh -c 'exit 7'`;
    expect((await rig.shell(line('global/bin/bootcut'))).status).toBe(7);
  });

  it('starts the program all the same, however few descriptors there are', {timeout: 60_000}, async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1', BOOTCUT_FRONT: 'node'}});
    const helpless = /^bootcut: .*; the launch goes on without bootcut's help\n$/;
    let said = 0;
    // Node itself needs 19, our modules, the witness and a thread more and more.
    for (let descriptors = 22; descriptors <= 34; descriptors += 1) {
      const few = `ulimit -n ${descriptors}; NODE_OPTIONS=--no-warnings ${quoted(bootcut)}`;
      const {status, stdout, stderr} = await rig.shell(`${few} run --verbose -- sh -c 'echo "$NODE_OPTIONS"; exit 7'`);
      expect({descriptors, status, stdout}).toEqual({descriptors, status: 7, stdout: '--no-warnings\n'});
      if (helpless.test(stderr)) said += 1;
      expect(stderr).toMatch(/^(?:bootcut: .*\n)+$/); // in our words, with no stack
    }
    expect(said).toBeGreaterThan(0);
  });

  it('does not take the host where a runtime was asked for', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1', BOOTCUT_FRONT: 'node'}});
    const few = `ulimit -n 20; ${quoted(bootcut)}`;
    for (const line of [
      `${few} run --runtime box -- echo host`,
      `export BOOTCUT_RUNTIME=box; ${few} run -- echo host`,
      `${few} shell`,
    ]) {
      const {status, stdout, stderr} = await rig.shell(line);
      expect({line, status, stdout}).toEqual({line, status: 125, stdout: ''});
      expect(stderr).toContain('it cannot be loaded');
    }
    await rig.run(['config', 'set', 'runtime', 'box']);
    expect(await rig.shell(`${few} run -- echo host`)).toMatchObject({status: 125, stdout: ''});
  });

  it('a command says in one line that it cannot be loaded', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(join(rig.root, 'half'));
    await cp(join(root, 'bin'), join(rig.root, 'half', 'bin'), {recursive: true});
    const half = quoted(join(rig.root, 'half', 'bin', 'bootcut'));
    const {status, stdout, stderr} = await rig.shell(`${half} daemon status`);
    expect({status, stdout}).toEqual({status: 125, stdout: ''});
    expect(stderr).toMatch(/^bootcut: it cannot be loaded: .*commands-main.* Install it again.*\n$/);
    expect(JSON.parse((await rig.shell(`${half} profile --json`)).stdout)).toMatchObject({
      error: {reason: 'internal-error'},
    });
    expect((await rig.shell(`${half} run -- sh -c 'exit 7'`)).status).toBe(7);
  });
});
