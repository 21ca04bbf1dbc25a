import {spawn} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {constants} from 'node:os';
import {join} from 'node:path';
import {isatty} from 'node:tty';
import {writeAll} from './output.mjs';

const GUEST_PATH =
  '/root/.local/bin:/root/.claude/local/bin:/root/.opencode/bin:/usr/local/bin:/usr/bin:/usr/sbin:/bin';

/** What the native one passes before the user's own arguments, left out if the user gave the same. */
const DEFAULT_ARGS = {
  claude: ['--dangerously-skip-permissions'],
  copilot: ['--allow-all-tools'],
  shell: ['-O', 'histappend'],
  codex: [],
  opencode: [],
};

export const guestCommand = (verb) => (verb === 'shell' ? 'bash' : verb);

/** Runs the "guest": a process of this host with the guest's environment. Resolves to the exit status of the launch. */
export async function runGuest(context, session) {
  const {directory, verb, trailing, settings, witness} = context;
  const argv = ['/bin/bash', '-c', shellLine(directory, verb, trailing)];
  const env = guestEnvironment(directory, verb);
  witness.guest({argv, env, cwd: session.project});
  return isatty(0) ? attach(argv, {env, session, witness}) : stream(argv, {env, session, witness, settings});
}

function shellLine(directory, verb, trailing) {
  return [
    '[ -t 0 ] || exec < /dev/null',
    'if [ -f .agent-vm.runtime.sh ]; then . ./.agent-vm.runtime.sh || exit $?; fi',
    `exec ${agentArgv(directory, verb, trailing).map(singleQuoted).join(' ')}`,
  ].join('\n');
}

function agentArgv(directory, verb, trailing) {
  const defaults = DEFAULT_ARGS[verb].filter((argument) => !trailing.includes(argument));
  if (verb === 'shell') {
    return trailing.length === 0
      ? ['bash', ...defaults]
      : ['bash', ...defaults, '-c', trailing.map(singleQuoted).join(' ')];
  }
  const program = join(directory, 'guest-bin', verb);
  return existsSync(program)
    ? [program, ...defaults, ...trailing]
    : ['/bin/echo', `stand-in ${verb}: no guest-bin/${verb}`];
}

const singleQuoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Nothing of the host's environment but the API keys (and TERM on a terminal): the host's PATH does not leak in. */
function guestEnvironment(directory, verb) {
  const home = join(directory, 'guest-root');
  mkdirSync(home, {recursive: true});
  const env = {HOME: home, PATH: GUEST_PATH, IS_SANDBOX: '1', LANG: 'C.UTF-8', CODEX_HOME: '/agent-vm-state/codex'};
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) {
    if (process.env[name]) env[name] = process.env[name];
  }
  if (verb === 'copilot') env.COPILOT_GITHUB_TOKEN = 'msb-copilot-placeholder-v2';
  if (isatty(0) && process.env.TERM !== undefined) env.TERM = process.env.TERM;
  return env;
}

/**
 * stdin is a terminal. The native one puts it in raw mode, so that Ctrl-C is a byte for the guest; here the guest shares
 * the terminal and its group, gets SIGINT from the terminal itself, and this process lets it pass.
 */
function attach([program, ...args], {env, session, witness}) {
  const child = spawn(program, args, {env, cwd: session.project, stdio: 'inherit'});
  const release = witness.handOver((signal) => {
    if (signal === 'SIGINT') return;
    child.kill('SIGKILL');
    witness.dieBy(signal);
  });
  return ended(child).finally(release);
}

/**
 * stdin is not a terminal: stdin null, output copied as it comes. The guest has a session of its own, as a process in a
 * VM has; `interrupt: 'forward'` passes SIGINT on to it once, `'die'` ends the launcher by it as the native one ends.
 */
async function stream([program, ...args], {env, session, witness, settings}) {
  const child = spawn(program, args, {env, cwd: session.project, stdio: ['ignore', 'pipe', 'pipe'], detached: true});
  child.stdout.on('data', (chunk) => writeAll(1, chunk));
  child.stderr.on('data', (chunk) => writeAll(2, chunk));
  const drained = new Promise((resolve) => child.on('close', resolve));
  const release = witness.handOver((signal) => {
    if (signal === 'SIGINT' && settings.interrupt !== 'die') return killGroup(child, signal);
    killGroup(child, 'SIGKILL');
    return witness.dieBy(signal);
  });
  const status = await ended(child);
  killGroup(child, 'SIGKILL');
  await drained;
  release();
  return status;
}

/** A VM ends with all its processes; so does the guest's group. */
function killGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing left to end.
  }
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
}
