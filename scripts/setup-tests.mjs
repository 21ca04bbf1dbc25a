/*
 * Sees to the real programs that the tests use. As root on Debian it installs what is missing; elsewhere it says what is
 * missing and which tests will fail for it. Never leaves a service running that it brought.
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {accessSync, constants, existsSync, readdirSync} from 'node:fs';
import {delimiter, join} from 'node:path';

/** Program, the Debian package that has it, and what needs it. */
const needed = [
  ['git', 'git', 'git-identity, github-repos, the agent-vm stand-in'],
  ['gh', 'gh', 'git-identity, gh-token, the agent-vm stand-in'],
  ['ssh', 'openssh-client', 'github-repos (host aliases)'],
  ['openssl', 'openssl', 'everything that talks to the local GitHub server'],
  ['docker-registry', 'docker-registry', 'update-check against a real registry'],
  ['redis-server', 'redis-server', 'the cache over a real Redis'],
  ['strace', 'strace', 'counts of processes and connections at a warm launch'],
  ['script', 'bsdutils', 'launches at a terminal'],
  ['flock', 'util-linux', 'the agent-vm stand-in (locks)'],
  ['ps', 'procps', 'the tests of processes and descriptors'],
  ['bash', 'bash', 'job control'],
  ['musl-gcc', 'musl-tools', 'the launcher and the agent of qemu guests (another C compiler does as well)'],
  ['qemu-system-x86_64', 'qemu-system-x86', 'microVMs, emulated'],
  ['bwrap', 'bubblewrap', 'a launcher behind a recipe'],
  ['xz', 'xz-utils', 'unpacking the kernel of a guest'],
  ['Xvfb', 'xvfb', 'readiness by what a screen shows'],
  ['xterm', 'xterm', 'readiness by what a screen shows'],
  ['curl', 'curl', 'connections held ahead, handed to a program'],
  ['xauth', 'xauth', 'readiness by what a screen shows'],
  ['chromium', 'chromium', 'the page of profile --format html'],
  ['javac', 'openjdk-17-jdk-headless', 'archives of JVM classes (those of JDK 25 are left out where there is none)'],
];

/** Packages that start a service when they are installed. */
const services = ['docker-registry', 'redis-server'];

const directories = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
const isThere = (program) =>
  directories.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
/** A guest's kernel is a file, and the package's name does not tell which. */
const hasKernel = () => {
  try {
    return readdirSync('/boot').some((name) => /^vmlinuz-.*[0-9]-amd64$/.test(name));
  } catch {
    return false;
  }
};
const missing = () => [
  ...needed.filter(([program]) => !isThere(program)),
  ...(process.arch !== 'x64' || hasKernel() ? [] : [['a kernel', 'linux-image-amd64', 'microVMs']]),
];

const apt = (...args) =>
  spawnSync('apt-get', ['-qq', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {...process.env, DEBIAN_FRONTEND: 'noninteractive'},
    timeout: 300_000,
  }).status === 0;

const install = (packages) => {
  console.log(`installing for the tests: ${packages.join(' ')}`);
  const args = ['install', '-y', '--no-install-recommends', ...packages];
  // The package lists of a fresh image are empty, or older than the mirror: then they are fetched, once.
  if (!apt(...args)) {
    apt('update');
    apt(...args);
  }
  for (const service of services.filter((name) => packages.includes(name))) stop(service);
};

/** The package has just started it; before, the program was not there. The tests start their own. */
const stop = (service) => {
  const systemd = existsSync('/run/systemd/system');
  const command = systemd ? ['systemctl', 'stop', service] : ['service', service, 'stop'];
  try {
    execFileSync(command[0], command.slice(1), {stdio: 'ignore', timeout: 30_000});
  } catch {
    // it had not been started: most containers have no init
  }
};

const lacking = missing();
const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
if (lacking.length > 0 && canInstall) install([...new Set(lacking.map(([, name]) => name))]);
for (const [program, name, users] of missing()) {
  console.log(`missing: ${program} (Debian package ${name}); these tests will fail: ${users}`);
}
