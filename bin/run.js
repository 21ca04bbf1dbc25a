#!/usr/bin/env node
/* Launch verbs go straight to the front; loading oclif for them would cost more than everything else they do. */
const verbs = ['run', 'shell', 'claude', 'codex', 'opencode', 'copilot', 'agent-vm', 'setup', 'pull', 'clipboard'];
const args = process.argv.slice(2);

/*
 * For the case that nothing of ours works: half an installation, too few descriptors. In this file, as there may be no
 * opening another one.
 */

/** What `bootcut` says when it cannot launch. */
const ownFailure = 125;

const firstLine = (error) => String(error?.message ?? error).split('\n')[0];

const failLoading = (error) => {
  const message = `it cannot be loaded: ${firstLine(error)}. Install it again, or raise the limit that was hit.`;
  if (args.includes('--json') && !verbs.includes(args[0])) {
    process.stdout.write(`${JSON.stringify({error: {reason: 'internal-error', message, suggestions: []}})}\n`);
  } else process.stderr.write(`bootcut: ${message}\n`);
  process.exit(ownFailure);
};

/** Is it sure that the program was to run on the host? In whatever could name a runtime there must be none. */
const isForTheHost = (flags, readFileSync) => {
  if (process.env.BOOTCUT_RUNTIME || flags.some((flag) => flag.startsWith('--runtime'))) return false;
  const absolute = (path) => (path?.startsWith('/') ? path : undefined);
  const home = absolute(process.env.XDG_CONFIG_HOME) ?? `${process.env.HOME ?? ''}/.config`;
  try {
    const directory = absolute(process.env.BOOTCUT_CONFIG_DIR) ?? `${home}/bootcut`;
    const text = readFileSync(`${directory}/config.json`, 'utf8');
    return !text.includes('"runtime"');
  } catch (error) {
    return error.code === 'ENOENT' || error.code === 'ENOTDIR';
  }
};

/**
 * Starts the program of `run` without any help of ours, and ends as it ended. A VM is never replaced by the host: where one
 * was, or may have been, asked for, the launch fails.
 */
const launchBare = async ([verb, ...words], error) => {
  await new Promise((resolve) => setTimeout(resolve, 50)); // what was being loaded gives its descriptors back
  const {readFileSync} = await import('node:fs');
  // Flags of ours are not understood here: with any, only what stands behind -- is sure to be the program.
  const dashes = words[0]?.startsWith('-') === true ? words.indexOf('--') : -1;
  const flags = words.slice(0, Math.max(0, dashes));
  const [file, ...rest] = words.slice(dashes + 1);
  if (verb !== 'run' || file === undefined || file.startsWith('-') || !isForTheHost(flags, readFileSync)) {
    failLoading(error);
  }
  process.stderr.write(`bootcut: ${firstLine(error)}; the launch goes on without bootcut's help\n`);
  const env = Object.entries(process.env)
    .filter(([name]) => name !== 'BOOTCUT_ENTRY')
    .map(([name, value]) => [name.replace(/^BOOTCUT_KEPT_/, ''), value]);
  const {spawn} = await import('node:child_process');
  const {constants} = await import('node:os');
  let child;
  try {
    child = spawn(file, rest, {stdio: 'inherit', env: Object.fromEntries(env)});
  } catch {
    process.exit(126); // as for an argument list that is too long
  }
  for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => undefined); // a terminal tells the child itself
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const status = await new Promise((resolve) => {
    child.once('error', ({code}) => resolve(code === 'ENOENT' ? 127 : 126));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
  process.exit(status);
};

const launch = async () => {
  let front;
  try {
    front = await import('../dist/client/front.js');
    return await front.runFront(args);
  } catch (error) {
    if (front?.isTargetStarted() === true) throw error;
    return await launchBare(args, error);
  }
};

if (!verbs.includes(args[0]) || (await launch()) === 'help') {
  let commands;
  try {
    commands = await import('../dist/commands-main.js');
  } catch (error) {
    failLoading(error);
  }
  await commands.runCommands(args, import.meta.url);
}
