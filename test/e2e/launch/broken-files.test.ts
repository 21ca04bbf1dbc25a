import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {chmod, mkdir, readdir, readFile, rm, symlink, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {bootcut, LaunchRig, quoted} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';

/** Ways a file can be broken. Each is given the path of a file that may or may not be there. */
const faults: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'is empty': async (path) => await writeFile(path, ''),
  'is one byte': async (path) => await writeFile(path, '{'),
  'is cut in half': async (path) => {
    const text = await readFile(path).catch(() => Buffer.from('{"some":"thing"}'));
    await writeFile(path, text.subarray(0, Math.floor(text.length / 2)));
  },
  'is full of zero bytes': async (path) => await writeFile(path, Buffer.alloc(4096)),
  'is an array': async (path) => await writeFile(path, '[]'),
  'is null': async (path) => await writeFile(path, 'null'),
  'is a text': async (path) => await writeFile(path, '"x"'),
  'has numbers as texts': async (path) => await writeFile(path, '{"v":"1","pid":"12","at":"now","daemon.idle":7}'),
  'is a directory': async (path) => {
    await rm(path, {force: true});
    await mkdir(path);
  },
  'is a pipe': async (path) => {
    await rm(path, {force: true});
    spawnSync('mkfifo', [path]);
  },
  'is a link to a file outside': async (path) => {
    await writeFile(`${path}.outside`, 'precious');
    await rm(path, {force: true});
    await symlink(`${path}.outside`, path);
  },
  'is of 100 MB': async (path) => {
    await writeFile(path, '');
    await truncate(path, 100_000_000);
  },
  'cannot be read': async (path) => {
    await writeFile(path, '{}', {flag: 'a'});
    await chmod(path, 0);
  },
};

/** Every file of ours that a launch reads or writes, by what makes it. */
const files: Readonly<Record<string, (rig: LaunchRig) => Promise<string>>> = {
  'a stored answer': async (rig) => {
    const directory = join(rig.home, '.cache', 'bootcut', 'answers');
    const names = await readdir(directory);
    return join(directory, names.find((name) => name.endsWith('.json')) ?? 'none.json');
  },
  'the newest record segment': async (rig) => {
    const directory = join(rig.state, 'records');
    return join(directory, (await readdir(directory)).sort().at(-1) ?? 'none');
  },
  'the index of records': async (rig) => {
    const directory = join(rig.state, 'records-index');
    return join(directory, (await readdir(directory)).sort().at(-1) ?? 'none');
  },
  'the log of launches': async (rig) => {
    await mkdir(join(rig.state, 'log'), {recursive: true});
    return join(rig.state, 'log', 'launches.log');
  },
  'the ready file': async (rig) => Promise.resolve(join(rig.state, 'daemon.json')),
  'the note of a failed start': async (rig) => Promise.resolve(join(rig.state, 'daemon-failed.json')),
  'the start stamp': async (rig) => Promise.resolve(join(rig.state, 'daemon-start')),
  'the configuration': async (rig) => {
    await mkdir(join(rig.home, '.config', 'bootcut'), {recursive: true});
    return join(rig.home, '.config', 'bootcut', 'config.json');
  },
  'the list of plugins': async (rig) => Promise.resolve(join(rig.home, '.local', 'share', 'bootcut', 'package.json')),
};

describe('C1: broken files', () => {
  it.for(Object.keys(files))(
    '%s may be broken in any way: the launch goes on',
    {timeout: 60_000},
    async (which, {expect}) => {
      await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
      await linkPlugin(rig, 'answers', lookupPlugin('answers', `async () => 'yes'`));
      for (const fault of Object.keys(faults)) {
        await rig.run(['run', '--', 'true']);
        const path = (await files[which]?.(rig)) ?? '';
        await faults[fault]?.(path);
        const {status, stdout, stderr} = await rig.run(['run', '--', 'sh', '-c', 'echo out; exit 5']);
        expect({fault, status, stdout}).toEqual({fault, status: 5, stdout: 'out\n'});
        expect(stderr).not.toMatch(/\n\s+at /);
        if (existsSync(`${path}.outside`)) expect(await readFile(`${path}.outside`, 'utf8')).toBe('precious');
        await rm(path, {recursive: true, force: true});
        await rm(`${path}.outside`, {force: true});
        if (which === 'the list of plugins')
          await linkPlugin(rig, 'answers', lookupPlugin('answers', `async () => 'yes'`));
      }
    },
  );

  it('a pipe in the place of a file holds neither a launch that starts the daemon nor a command', async ({expect}) => {
    for (const name of ['daemon-start', 'daemon-failed.json', 'daemon.json', 'log/daemon.log']) {
      await using rig = await LaunchRig.create();
      await mkdir(join(rig.state, 'log'), {recursive: true});
      const path = join(rig.state, name);
      spawnSync('mkfifo', [path]);
      spawnSync('touch', ['-d', '1 hour ago', path]); // the stamp of a start that is over
      expect((await rig.run(['run', '--', 'sh', '-c', 'exit 5'])).status).toBe(5);
      expect((await rig.run(['daemon', 'logs', '--json'])).status).toBe(0);
      expect((await rig.run(['daemon', 'start'])).status).toBe(0);
      expect((await rig.run(['daemon', 'stop'])).status).toBe(0);
    }
  });

  it('a log of 100 MB is read from its end', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(join(rig.state, 'log'), {recursive: true});
    const path = join(rig.state, 'log', 'daemon.log');
    await writeFile(path, '');
    await truncate(path, 100_000_000);
    await writeFile(path, '\n{"event":"last"}\n', {flag: 'a'});
    const {status, stdout} = await rig.run(['daemon', 'logs', '--json', '--lines', '1']);
    expect({status, events: JSON.parse(stdout) as unknown}).toEqual({status: 0, events: [{event: 'last'}]});
  });

  it('a configuration that cannot be used is never overwritten', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const path = await files['the configuration']?.(rig);
    await writeFile(path ?? '', '{"verbose": true, oops');
    await rig.run(['run', '--', 'true']);
    expect((await rig.run(['config', 'set', 'verbose', 'false'])).status).not.toBe(0);
    expect(await readFile(path ?? '', 'utf8')).toBe('{"verbose": true, oops');
  });
});

/** An ordinary user can get at our command and at a home; not so where the temporary or the project's directory is closed. */
const home = '/var/tmp';
const asUserCommand = ['setpriv', '--reuid', '12345', '--regid', '12345', '--clear-groups'];
const userCanRun =
  process.getuid?.() === 0 &&
  spawnSync(asUserCommand[0] ?? '', [...asUserCommand.slice(1), 'test', '-x', bootcut]).status === 0 &&
  spawnSync(asUserCommand[0] ?? '', [...asUserCommand.slice(1), 'test', '-x', home]).status === 0;

describe.runIf(userCanRun)('D4: root in a user’s home', () => {
  it('leaves nothing there that the user cannot replace, and shares no daemon with the user', async ({expect}) => {
    await using rig = await LaunchRig.create({}, home);
    await rig.shell(`chmod 755 ${quoted(rig.root)}; chown -R 12345:12345 ${quoted(rig.home)}`);
    const asUser = `${asUserCommand.join(' ')} env HOME=${quoted(rig.home)}`;
    const launch = `${quoted(bootcut)} run -- sh -c 'exit 7'; echo $?`;
    // root without a home of its own to fall back to would use root's real one: a private state directory stands for it
    const roots = {BOOTCUT_STATE_DIR: join(rig.root, 'roots-state'), BOOTCUT_CACHE_DIR: join(rig.root, 'roots-cache')};
    expect(
      (await rig.shell(`XDG_STATE_HOME=${quoted(join(rig.home, '.local', 'state'))} ${launch}`, {env: {...roots}}))
        .stdout,
    ).toBe('7\n');
    expect((await rig.shell(`find ${quoted(rig.home)} -uid 0`)).stdout).toBe('');
    expect((await rig.shell(`${asUser} ${launch}`)).stdout).toBe('7\n');
    const {stdout} = await rig.shell(
      `${asUser} ${quoted(bootcut)} daemon start --json >/dev/null; ${asUser} ${quoted(bootcut)} daemon status --json`,
    );
    const users = JSON.parse(stdout) as {pid: number; socket: string};
    expect((await rig.shell(`stat -c %u ${quoted(users.socket)}`)).stdout).toBe('12345\n');
    const own = JSON.parse(
      (
        await rig.shell(`${quoted(bootcut)} daemon start >/dev/null; ${quoted(bootcut)} daemon status --json`, {
          env: roots,
        })
      ).stdout,
    ) as {pid: number};
    expect(own.pid).not.toBe(users.pid);
    await rig.shell(`${quoted(bootcut)} daemon stop`, {env: roots});
    expect((await rig.shell(`find ${quoted(rig.home)} -uid 0`)).stdout).toBe('');
  });
});
