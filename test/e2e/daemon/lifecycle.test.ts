import {existsSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {mkdir, readdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {bootcut, endProcess, LaunchRig, quoted} from '../../rig/launch-rig.js';
import {Terminal} from '../../rig/terminal.js';

const socketOf = async (rig: LaunchRig): Promise<string> => {
  const directory = join(rig.state, 'run');
  const name = (await readdir(directory)).find((entry) => entry.endsWith('.sock') && !entry.startsWith('.'));
  return join(directory, name ?? 'none');
};

describe('D2: one daemon', () => {
  it('replaces a daemon that was killed, and no launch notices', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const first = await rig.startDaemon();
    process.kill(first.pid, 'SIGKILL');
    for (let round = 0; round < 20; round += 1) {
      expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7, stderr: ''});
    }
    await rig.startDaemon();
    const daemons = await rig.daemons();
    expect(daemons).toHaveLength(1);
    expect((await rig.status()).pid).toBe(daemons[0]);
  });

  it('is started exactly once by 30 first launches at the same moment, which all succeed', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const launches = await Promise.all(Array.from({length: 30}, () => rig.run(['run', '--', 'sh', '-c', 'exit 7'])));
    expect(launches.map(({status, stderr}) => ({status, stderr}))).toEqual(
      launches.map(() => ({status: 7, stderr: ''})),
    );
    const {pid} = await rig.startDaemon();
    expect(await settledDaemons(rig)).toEqual([pid]);
  });

  it('is one after two starts at once beside ten launches', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const starts = [rig.run(['daemon', 'start']), rig.run(['daemon', 'start'])];
    const launches = Array.from({length: 10}, () => rig.run(['run', '--', 'true']));
    expect((await Promise.all([...starts, ...launches])).map(({status}) => status)).toEqual(Array(12).fill(0));
    expect(await settledDaemons(rig)).toEqual([(await rig.status()).pid]);
  });

  it.for([
    ['a plain file', (path: string) => writeFileSync(path, 'text')],
    ['a dangling link', (path: string) => symlinkSync('/nonexistent/place', path)],
  ] as const)('takes its address back from %s', async ([, place], {expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    const socket = await socketOf(rig);
    await rig.run(['daemon', 'stop']);
    place(socket);
    expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7, stderr: ''});
    await rig.startDaemon();
    expect((await stat(socket)).isSocket()).toBe(true);
  });

  it('never removes a directory that lies where its socket goes, and says so', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    const socket = await socketOf(rig);
    await rig.run(['daemon', 'stop']);
    mkdirSync(join(socket, 'precious'), {recursive: true});
    expect(await rig.run(['run', '--', 'sh', '-c', 'exit 7'])).toMatchObject({status: 7, stderr: ''});
    const started = await rig.run(['daemon', 'start']);
    expect(started.status).toBe(1);
    expect(started.stderr).toContain('did not start');
    expect(existsSync(join(socket, 'precious'))).toBe(true);
  });
});

describe('a launch that wants no daemon', () => {
  it.for([
    ['by flag', ['run', '--no-daemon', '--', 'true'], {}],
    ['by variable', ['run', '--', 'true'], {BOOTCUT_NO_DAEMON: '1'}],
  ] as const)('%s starts none', async ([, args, env], {expect}) => {
    await using rig = await LaunchRig.create();
    expect(await rig.run(args, {env})).toMatchObject({status: 0, stderr: ''});
    expect(existsSync(join(rig.state, 'daemon-start'))).toBe(false);
    expect(await rig.daemons()).toEqual([]);
  });

  it('is not what BOOTCUT_NO_DAEMON=0 means', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.run(['run', '--', 'true'], {env: {BOOTCUT_NO_DAEMON: '0'}});
    expect(existsSync(join(rig.state, 'daemon-start'))).toBe(true);
  });
});

describe('D7: a daemon started by a launch', () => {
  it('keeps no pipe of the caller open', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const command = quoted(bootcut);
    // the first launch of all starts the daemon, with an odd descriptor open beside the usual ones
    const {stdout} = await rig.shell(
      `x=$(${command} run -- echo hi 40> >(cat; echo closed >&2)); echo "[$x]"; ${command} run -- echo hi 2>&1 | cat`,
    );
    expect(stdout).toBe('[hi]\nhi\n');
    await rig.startDaemon();
    expect(await rig.daemons()).toHaveLength(1);
  });

  it('survives the terminal it was started from', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {TERM: 'dumb', PS1: 'prompt> '}});
    const terminal = new Terminal(['/bin/bash', '--norc', '-i'], {cwd: rig.dir, env: rig.environment()});
    await terminal.shows(/prompt> $/);
    terminal.type(`${bootcut} run -- sh -c 'echo up; sleep 1000'\r`);
    await terminal.shows(/\r\nup/);
    const {pid} = await rig.startDaemon();
    terminal.type('\x03');
    await terminal.shows(/\^C[^]*prompt> $/);
    terminal.type('\x1c');
    process.kill(terminal.pid, 'SIGHUP');
    terminal[Symbol.dispose]();
    await terminal.ended();
    expect((await rig.status()).pid).toBe(pid);
  });

  it('has its own session, directory, umask, descriptors and an empty environment', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.shell(`umask 077; ${quoted(bootcut)} run -- true 40>/dev/null`, {env: {SECRET_OF_CALLER: 'x'}});
    const {pid} = await rig.startDaemon();
    const {stdout} = await rig.shell(
      `readlink /proc/${pid}/cwd; ps -o sid=,tty= -p ${pid}; tr '\\0' '\\n' </proc/${pid}/environ; ls -l /proc/${pid}/fd | grep -c "${rig.root}/work" ; grep Umask /proc/${pid}/status`,
    );
    const [cwd, session, ...rest] = stdout.split('\n');
    expect(cwd).toBe('/');
    expect(session?.trim()).toBe(`${pid} ?`);
    expect(rest.join('\n')).toBe('0\nUmask:\t0077\n');
  });
});

describe('promise 3: what is kept', () => {
  it('is open to nobody else, whatever the umask', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.shell(
      `umask 0; ${quoted(bootcut)} run -- true; ${quoted(bootcut)} daemon start; ${quoted(bootcut)} run --with git-identity -- true`,
    );
    const {stdout} = await rig.shell(
      `cd ${quoted(rig.home)} && find . -path '*/bootcut*' -perm /077 -printf '%p %m\\n'`,
    );
    expect(stdout).toBe('');
  });
});

describe('the daemon', () => {
  it('leaves by itself after its idle time, and not while a launch runs', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await mkdir(join(rig.home, '.config', 'bootcut'), {recursive: true});
    writeFileSync(join(rig.home, '.config', 'bootcut', 'config.json'), JSON.stringify({'daemon.idle': '2s'}));
    const {pid} = await rig.startDaemon();
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', `sleep 3; kill -0 ${pid} && echo alive`]);
    expect(stdout).toBe('alive\n');
    await gone(pid);
    expect(await rig.daemons()).toEqual([]);
  });

  it('ends when its address is taken by another, and not before', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {pid} = await rig.startDaemon();
    const socket = await socketOf(rig);
    await rig.shell(`mv ${quoted(socket)} ${quoted(`${socket}.away`)}`);
    await gone(pid);
    expect((await rig.startDaemon()).pid).not.toBe(pid);
  });

  it('writes a log of JSON lines', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    const lines = (await readFile(join(rig.state, 'log', 'daemon.log'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as {event: string}).event)).toEqual(
      expect.arrayContaining(['starting', 'serving']),
    );
  });

  it('does not keep a launch as running when its front is killed', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    const front = rig.start(['run', '--', 'sh', '-c', 'echo $$; exec sleep 1000']);
    const target = Number(
      await new Promise<string>((resolve) => front.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()))),
    );
    expect((await rig.status()).launches.running).toBe(1);
    front.kill('SIGKILL');
    await new Promise((resolve) => front.once('exit', resolve));
    expect((await rig.status()).launches.running).toBe(0);
    expect((await rig.lastRecord()).outcome).toEqual({kind: 'lost'});
    endProcess(target);
  });
});

/** Resolves when a process has ended. The system tells only parents, so this looks; the limit is the test's own. */
const gone = async (pid: number): Promise<void> => {
  while (
    existsSync(`/proc/${pid}`) &&
    !(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')).includes(') Z')
  ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** The daemons that are left when every one that lost the race for the lock has ended. */
const settledDaemons = async (rig: LaunchRig): Promise<readonly number[]> => {
  for (;;) {
    const found = await rig.daemons();
    if (found.length <= 1) return found;
    const {pid} = await rig.status();
    await Promise.all(found.filter((other) => other !== pid).map(gone));
  }
};
