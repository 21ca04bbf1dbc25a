import {mkdirSync, rmSync} from 'node:fs';
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {connect, createServer, type Server, type Socket} from 'node:net';
import {dirname, join} from 'node:path';
import {describe, it} from 'vitest';
import {findDirectories} from '../../../src/config/directories.js';
import {encodeGreeting} from '../../../src/protocol/greeting.js';
import {protocolVersion} from '../../../src/protocol/messages.js';
import {LaunchRig, quoted} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';

/** Where the daemon of a rig listens. */
const addressOf = (rig: LaunchRig): string => findDirectories(rig.environment()).socket ?? '';

/** Something else than our daemon, at our daemon's address. */
const impostor = async (rig: LaunchRig, answer: (socket: Socket) => void): Promise<Server & AsyncDisposable> => {
  const path = addressOf(rig);
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  rmSync(path, {force: true});
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return Object.assign(server, {
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
};

const greeting =
  (protocol: number, build: string) =>
  (socket: Socket): void => {
    socket.write(encodeGreeting('welcome', {protocol, build}));
  };

const impostors: Readonly<Record<string, (socket: Socket) => void>> = {
  'accepts and never answers': () => undefined,
  'greets with a higher protocol and then is silent': greeting(99, '9.0.0+9999999999.ffffffff'),
  'greets with a lower protocol and then is silent': greeting(0, '0.0.1+1.00000000'),
  'greets with another build and then is silent': greeting(protocolVersion, '0.1.0+1.00000000'),
  'sends random bytes': (socket) => socket.write(Buffer.from('f3a9c1d2e4b5968778695a4b3c2d1e0f00ff00ff', 'hex')),
  'sends 20 MB without sense': (socket) => socket.write(Buffer.alloc(20_000_000, 0x41)),
  'closes at once': (socket) => socket.destroy(),
};

describe('D6: a launch that meets something else at the daemon’s address', () => {
  it.for(Object.keys(impostors))('which %s goes on without it', async (kind, {expect}) => {
    await using rig = await LaunchRig.create();
    await using other = await impostor(rig, impostors[kind] ?? (() => undefined));
    expect(await rig.run(['run', '--', 'sh', '-c', 'echo out; exit 7'])).toMatchObject({
      status: 7,
      stdout: 'out\n',
      stderr: '',
    });
    expect(await rig.lastRecord()).toMatchObject({via: 'in-process'});
    expect(other.listening).toBe(true);
  });

  it('waits 50 ms at the most for a daemon that is stopped', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    process.kill(pid, 'SIGSTOP');
    expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7, stderr: ''});
    const record = await rig.lastRecord();
    expect(record).toMatchObject({via: 'in-process', viaReason: 'daemon-silence'});
    process.kill(pid, 'SIGCONT');
  });
});

describe('D8: the caller’s context', () => {
  it('is what a step sees, whatever the daemon was started with', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const seen = join(rig.root, 'seen');
    const [first, second] = [join(rig.root, 'a'), join(rig.root, 'b')];
    await mkdir(first);
    await mkdir(second);
    await rig.script(
      'teller',
      `#!/bin/sh\n{ echo one; pwd; echo "$TOKEN_OF_CALLER"; } >>${quoted(seen)}\necho v1\n`,
      join(rig.root, 'bin1'),
    );
    await rig.script(
      'teller',
      `#!/bin/sh\n{ echo two; pwd; echo "$TOKEN_OF_CALLER"; } >>${quoted(seen)}\necho v2\n`,
      join(rig.root, 'bin2'),
    );
    await linkPlugin(
      rig,
      'teller',
      `
      import {definePlugin, lookup, hours, run} from 'bootcut/plugin';
      export default definePlugin({name: 'teller', steps: [lookup({name: 'answer', neededBy: 'boot', freshFor: hours(1), keepFor: hours(2),
        key: (launch) => [launch.cwd, launch.env.PATH],
        read: async (launch, {signal}) => (await run(launch, ['teller'], {signal})).stdout.trim(), parse: String,
        apply: (value) => [{kind: 'set-env', name: 'TELLER', value}]})]});`,
    );
    const path = rig.env['PATH'] ?? '';
    await rig.run(['run', '--', 'true'], {
      cwd: first,
      env: {PATH: `${rig.root}/bin1:${path}`, TOKEN_OF_CALLER: 'old', HTTPS_PROXY: 'http://127.0.0.1:9'},
    });
    await rig.startDaemon();
    await rm(first, {recursive: true});
    const {stdout} = await rig.served(['run', '--', 'sh', '-c', 'echo $TELLER'], {
      cwd: second,
      env: {PATH: `${rig.root}/bin2:${path}`},
    });
    expect(stdout).toBe('v2\n');
    expect(await readFile(seen, 'utf8')).toBe(`one\n${first}\nold\ntwo\n${second}\n\n`);
  });
});

describe('D10: what goes over the socket', () => {
  const name = `${'漢'.repeat(60)}🚀`;

  it('arrives as it was: odd directories, large environments, many-byte values', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(
      rig,
      'echo',
      lookupPlugin('echo', `async (launch) => launch.cwd + '|' + launch.env.LARGE.length + '|' + '🦕'.repeat(3000)`),
    );
    await rig.startDaemon();
    const directory = join(rig.root, name);
    await mkdir(directory);
    const env = {LARGE: 'ü'.repeat(60_000), LARGE2: '漢'.repeat(40_000), LARGE3: '🚀'.repeat(30_000)};
    const {stdout} = await rig.served(['run', '--', 'sh', '-c', 'printf %s "$ECHO"'], {cwd: directory, env});
    expect(stdout).toBe(`${directory}|60000|${'🦕'.repeat(3000)}`);
  });

  it('may come one byte at a time', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    const relay = createServer((near) => {
      const far = connect(addressOf(rig));
      const slowly = (from: Socket, to: Socket): void => {
        from.setNoDelay(true);
        to.setNoDelay(true);
        from.on('data', (chunk: Buffer) => {
          for (const byte of chunk) to.write(Buffer.of(byte));
        });
        from.on('close', () => to.end());
        from.on('error', () => to.destroy());
      };
      slowly(near, far);
      slowly(far, near);
    });
    const relayed = join(rig.root, 'relay.sock');
    await new Promise<void>((resolve) => relay.listen(relayed, resolve));
    const {planFromDaemon} = await import('../../../src/client/plan-source.js');
    const request = {
      argv: [Buffer.from('run'), Buffer.from('true')],
      env: [Buffer.from('A=ü漢🚀')],
      cwd: Buffer.from(rig.dir),
      stdio: ['pipe', 'pipe', 'pipe'],
      execAt: 1,
      frontAt: 2,
      sentAt: 3,
      pid: 1,
      front: 'test',
      mergedOutput: false,
    } as never;
    const answer = await planFromDaemon(relayed, request);
    expect(answer).toMatchObject({kind: 'planned', source: {plan: {argv: [{kind: 'keep', from: 1, to: 2}]}}});
    relay.close();
  });

  it('is refused when it is too long, with no harm to others', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid, memory} = await rig.startDaemon();
    const socket = connect(addressOf(rig));
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (let index = 0; index < 50 && !socket.destroyed; index += 1) socket.write(Buffer.alloc(1_000_000, 0x41));
    await closed;
    expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7});
    const status = await rig.status();
    expect(status.pid).toBe(pid);
    expect(status.memory.rss - memory.rss).toBeLessThan(40 * 1_048_576);
  });
});

describe('D4: directories that cannot be used', () => {
  const variables = ['XDG_RUNTIME_DIR', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'HOME'] as const;
  const states: Readonly<Record<string, (path: string) => Promise<string | undefined>>> = {
    unset: async () => undefined,
    empty: async () => '',
    relative: async () => 'some/where',
    missing: async (path) => join(path, 'missing'),
    'a file': async (path) => {
      await writeFile(path, '');
      return path;
    },
    'somebody else’s': async (path) => {
      await mkdir(path);
      return path;
    },
    'open to all': async (path) => {
      await mkdir(path, {mode: 0o777});
      return path;
    },
  };

  it.for(variables.flatMap((variable) => Object.keys(states).map((state) => [variable, state] as const)))(
    '%s %s still gives the target’s status, and at most one line',
    async ([variable, state], {expect}) => {
      await using rig = await LaunchRig.create();
      const path = join(rig.root, 'odd');
      const value = await states[state]?.(path);
      if (state === 'open to all') await rig.shell(`chmod 777 ${quoted(path)}`);
      if (state === 'somebody else’s') await rig.shell(`chown 12345 ${quoted(path)}`);
      const env = {BOOTCUT_NO_DAEMON: '1', BOOTCUT_VERBOSE: '1', [variable]: value};
      const {status, stderr} = await rig.run(['run', '--', 'sh', '-c', 'exit 7'], {env});
      expect(status).toBe(7);
      expect(stderr.split('\n').filter((line) => line.includes('passed over')).length).toBeLessThanOrEqual(1);
      expect(stderr).not.toMatch(/\n\s+at /);
    },
  );
});
