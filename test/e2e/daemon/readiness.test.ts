import {existsSync, mkdirSync, readFileSync, watch} from 'node:fs';
import {connect} from 'node:net';
import {dirname, join} from 'node:path';
import {describe, it} from 'vitest';
import {findDirectories} from '../../../src/config/directories.js';
import {LaunchRig} from '../../rig/launch-rig.js';

const addressOf = (rig: LaunchRig): string => findDirectories(rig.environment()).socket ?? '';

/** What connecting comes to right now. */
const tryConnect = (path: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
  });

/** Connects at the very moment a file shows up. */
const connectWhenThere = (file: string, socket: string): Promise<string> =>
  new Promise((resolve) => {
    mkdirSync(dirname(file), {recursive: true, mode: 0o700});
    const watcher = watch(dirname(file), () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve(tryConnect(socket));
    });
  });

describe('C1: the daemon listens before it announces', () => {
  it('so that whoever sees its address can connect', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const socket = addressOf(rig);
    const connected = connectWhenThere(socket, socket);
    await rig.startDaemon();
    expect(await connected).toBe('connected');
  });

  it('so that whoever sees its ready file can connect', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const file = join(rig.state, 'daemon.json');
    const connected = connectWhenThere(file, addressOf(rig));
    await rig.startDaemon();
    expect(await connected).toBe('connected');
  });
});

describe('C2: the ready file', () => {
  it('is whole whenever it is there, and names the address and the owner', async ({expect}) => {
    await using rig = await LaunchRig.create();
    mkdirSync(rig.state, {recursive: true, mode: 0o700});
    const file = join(rig.state, 'daemon.json');
    const seen: string[] = [];
    const watcher = watch(rig.state, () => {
      if (existsSync(file)) seen.push(readFileSync(file, 'utf8'));
    });
    const {pid, socket} = await rig.startDaemon();
    watcher.close();
    expect(seen.length).toBeGreaterThan(0);
    for (const text of seen) expect(JSON.parse(text)).toMatchObject({pid, socket});
  });

  it('C12: of two state directories lead to two daemons that never meet, in one runtime directory', async ({
    expect,
  }) => {
    await using rig = await LaunchRig.create();
    const runtime = join(rig.root, 'runtime');
    mkdirSync(runtime, {mode: 0o700});
    const env = (name: string): Record<string, string> => ({
      XDG_RUNTIME_DIR: runtime,
      BOOTCUT_STATE_DIR: join(rig.root, name),
    });
    for (const name of ['one', 'two'])
      expect(await rig.run(['daemon', 'start'], {env: env(name)})).toMatchObject({status: 0});
    const status = async (name: string): Promise<{pid: number; socket: string}> =>
      JSON.parse((await rig.run(['daemon', 'status', '--json'], {env: env(name)})).stdout) as {
        pid: number;
        socket: string;
      };
    const [one, two] = [await status('one'), await status('two')];
    expect(dirname(one.socket)).toBe(dirname(two.socket));
    expect(one.socket).not.toBe(two.socket);
    expect(one.pid).not.toBe(two.pid);
    await rig.run(['daemon', 'stop'], {env: env('one')});
    expect((await status('two')).pid).toBe(two.pid);
    expect(await rig.daemons()).toEqual([two.pid]);
  });
});

describe('C4: listening and being of use', () => {
  it('are told apart, and both are reported', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    await rig.run(['run', '--', 'true']);
    const {ready} = await rig.status();
    expect(ready.planning).not.toBeNull();
    expect(ready.planning ?? 0).toBeGreaterThan(ready.listening);
    expect((await rig.run(['daemon', 'status'])).stdout).toMatch(/listened after .* could plan a launch after/);
  });
});
