/*
 * `npm start`: shows on this machine what bootcut does. Starts a daemon of its own, launches a real target in this
 * repository three times and prints where the time of each launch went: agent-vm where it is installed, else a microVM of
 * our own (QEMU; as root on Debian what is missing is installed, said so), else a program. Keeps to .bootcut-demo/, which is
 * made anew each time; your own settings, cache and daemon are not touched.
 */
import {spawnSync} from 'node:child_process';
import {accessSync, constants, existsSync, mkdirSync, rmSync} from 'node:fs';
import {homedir} from 'node:os';
import {delimiter, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bootcut = join(root, 'bin', 'bootcut');
const demo = join(root, '.bootcut-demo');

const isThere = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory || '.', program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Is there an account to ask GitHub for? */
const hasAccount = () => {
  const {env} = process;
  const config = env.GH_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'gh');
  const hasToken = ['GH_TOKEN', 'GITHUB_TOKEN'].some((name) => (env[name] ?? '') !== '');
  return hasToken || (isThere('gh') && existsSync(join(config, 'hosts.yml')));
};

/** A guest for our own microVM: setup says what it does, or which command is to be run as root. */
const prepareGuest = () => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  console.log('Preparing a microVM: bootcut setup --runtime qemu\n');
  const {status} = run(['setup', '--runtime', 'qemu', '--yes']);
  console.log(status === 0 ? '' : '\nGoing on without a microVM.\n');
  return status === 0;
};

/** What is launched, and why that. */
const choose = () => {
  if (isThere('agent-vm')) return {args: ['shell', '--', 'true'], why: 'agent-vm is on your PATH', keepsVm: false};
  if (prepareGuest()) {
    const command =
      isThere('git') && existsSync(join(root, '.git')) ? ['git', 'log', '-1', '--oneline'] : ['uname', '-a'];
    return {
      args: ['shell', '--runtime', 'qemu', '--', ...command],
      why: 'agent-vm is not on your PATH, so this is a microVM of our own; emulated where KVM does not work',
      keepsVm: true,
    };
  }
  const identity = hasAccount() ? 'git-identity' : 'git-identity/git';
  const run = ['run', '--with', `${identity},github-repos`, '--'];
  if (isThere('git') && existsSync(join(root, '.git'))) {
    return {
      args: [...run, 'git', 'log', '-1', '--oneline'],
      why: 'there is no microVM here, and this is a git repository',
      keepsVm: false,
    };
  }
  return {
    args: [...run, 'node', '--version'],
    why: 'there is neither a microVM nor a git repository here',
    keepsVm: false,
  };
};

/** Our variables of the caller must not lead the demonstration elsewhere. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BOOTCUT_'))),
  ...Object.fromEntries(
    ['STATE', 'CACHE', 'CONFIG', 'DATA'].map((kind) => [`BOOTCUT_${kind}_DIR`, join(demo, kind.toLowerCase())]),
  ),
  // This demonstration may be slow; whether your own launches may be emulated is a setting of yours.
  BOOTCUT_QEMU_EMULATE: '1',
};

const run = (args, stdio = 'inherit') => {
  const result = spawnSync(bootcut, args, {cwd: root, env, stdio, encoding: 'utf8'});
  if (result.error) throw result.error;
  return result;
};

const shown = (args) => `bootcut ${args.join(' ')}`;

const number = (value) => Math.round(value).toLocaleString('en-US');

/** The figures of the last launch, for the closing words. */
const lastLaunch = () => JSON.parse(run(['profile', '--json'], ['ignore', 'pipe', 'inherit']).stdout).launches[0];

const launchThrice = ({args, keepsVm}) => {
  const launches = [];
  for (const cached of ['nothing cached yet', 'answers cached', 'answers cached']) {
    if (keepsVm && launches.length > 0) {
      console.log('\n## A VM is booted for the next launch (the daemon does that by itself): bootcut standby start\n');
      run(['standby', 'start', ...args.slice(1, args.indexOf('--'))]);
    }
    console.log(`\n## Launch ${launches.length + 1}, ${cached}: ${shown(args)}\n`);
    const {status} = run(args);
    if (status !== 0) console.log(`(the target ended with ${status})`);
    console.log('');
    run(['profile']);
    launches.push(lastLaunch());
  }
  return launches;
};

const closing = ([cold, , warm]) => {
  console.log(`
## In short

The first launch found no stored answer and waited ${number(cold.waitedMs)} ms for ${number(cold.lookupsMs)} ms of look-ups.
The third waited ${number(warm.waitedMs)} ms: the daemon had the answers, and asks again before they expire.
Until the end of the command they took ${number(cold.totalMs)} and ${number(warm.totalMs)} ms.

Next: 'bin/bootcut steps -- CMD' shows what would be looked up for a launch and how fresh it is;
      'bin/bootcut help' lists the commands. README.md says how to install it and use it with agent-vm.`);
};

const main = () => {
  rmSync(demo, {recursive: true, force: true});
  mkdirSync(demo, {mode: 0o700});
  const target = choose();
  console.log(`Target: ${shown(target.args)} (${target.why}).`);
  console.log(`Everything is kept in ${relative(process.cwd(), demo) || '.'}; nothing of yours is touched.\n`);
  const started = run(['daemon', 'start']);
  if (started.status !== 0) {
    console.log('The daemon did not start; launches go on without it.');
  }
  try {
    closing(launchThrice(target));
  } finally {
    run(['daemon', 'stop'], 'ignore');
  }
};

// Ctrl-C reaches the target as well; the daemon is stopped all the same.
process.on('SIGINT', () => undefined);
main();
