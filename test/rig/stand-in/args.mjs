import {commandHelp, topHelp} from './help.mjs';
import {Ending, Scan, unexpected, usageError} from './scan.mjs';

/** clap 4.6.1 with the shape of agent-vm's `Args`: rules in agent-vm.md, "Launch flags". */

const U32 = {min: 0, max: 4_294_967_295};
const U8 = {min: 0, max: 255};

/** `type`: a flag takes nothing, a list is repeatable, the rest take one value once. */
const LAUNCH_OPTIONS = [
  {name: 'memory', value: 'GIB', type: U32, env: 'AGENT_VM_MEMORY_GIB', initial: 2},
  {name: 'cpus', value: 'N', type: U8, env: 'AGENT_VM_CPUS', initial: 2},
  {name: 'no-git', type: 'flag'},
  {name: 'repo', value: 'OWNER/REPO', type: 'list'},
  {name: 'mount', value: 'HOST[:GUEST]', type: 'list'},
  {name: 'publish', short: 'p', value: '[BIND:]HOST_PORT:GUEST_PORT', type: 'list', since: 'networkFlags'},
  {name: 'auto-publish', type: 'flag', since: 'networkFlags'},
  {name: 'allow-egress', value: 'IP|CIDR', type: 'list', since: 'networkFlags'},
  {name: 'allow-lan', type: 'flag', since: 'networkFlags'},
  {name: 'allow-host', type: 'flag', since: 'allowHost'},
  {name: 'image', value: 'REF', type: 'text', env: 'AGENT_VM_IMAGE_TAG'},
  {name: 'no-update-check', type: 'flag'},
];
const IMAGE_ONLY = [{name: 'image', value: 'REF', type: 'text', env: 'AGENT_VM_IMAGE_TAG'}];
const SYS = {name: 'sys', short: 's', type: 'flag'};

const LAUNCH_VERBS = ['claude', 'codex', 'opencode', 'copilot', 'shell'];

/**
 * Either `{kind: 'done', status, stdout, stderr}` (help, version, usage error) or
 * `{kind: 'command', command, options, trailing}`.
 */
export function parse(argv, {env, features, version}) {
  try {
    return {kind: 'command', ...parseTop(argv, {env, features, version})};
  } catch (error) {
    if (error instanceof Ending) {
      return {kind: 'done', status: error.status, stdout: error.stdout, stderr: error.stderr};
    }
    throw error;
  }
}

function parseTop(argv, context) {
  const verbs = LAUNCH_VERBS.filter((verb) => verb !== 'copilot' || context.features.copilot);
  const usage = 'agent-vm <COMMAND>';
  const first = argv[0];
  if (first === undefined) throw new Ending(2, '', topHelp(verbs));
  if (first === '--help' || first === '-h') throw new Ending(0, topHelp(verbs), '');
  if (first === '--version' || first === '-V') throw new Ending(0, `agent-vm ${context.version}\n`, '');
  if (first === 'help') throw helpCommand(argv.slice(1), verbs, context);
  if (first.startsWith('-') && first !== '-' && first !== '--') throw unexpected(first, usage);
  const rest = argv.slice(1);
  if (verbs.includes(first)) return launchCommand(first, rest, context);
  if (first === 'setup') return plainCommand(first, rest, [{name: 'no-verify', type: 'flag'}, ...IMAGE_ONLY], context);
  if (first === 'pull') return plainCommand(first, rest, IMAGE_ONLY, context);
  if (first === 'clipboard') return clipboardCommand(rest, context);
  throw usageError(`unrecognized subcommand '${first === '--' ? (argv[1] ?? '') : first}'`, usage);
}

function helpCommand(rest, verbs, context) {
  const name = rest[0];
  if (name === undefined) return new Ending(0, topHelp(verbs), '');
  if (verbs.includes(name)) return new Ending(0, commandHelp(name, launchOptions(context)), '');
  if (['setup', 'pull', 'clipboard'].includes(name)) return new Ending(0, commandHelp(name, IMAGE_ONLY), '');
  return usageError(`unrecognized subcommand '${name}'`, 'agent-vm <COMMAND>');
}

const launchOptions = ({features}) => LAUNCH_OPTIONS.filter(({since}) => since === undefined || features[since]);

function launchCommand(command, argv, context) {
  const usage = `agent-vm ${command} [OPTIONS] [AGENT_ARGS]...`;
  const scan = new Scan(command, launchOptions(context), usage);
  let index = 0;
  for (; index < argv.length; index += 1) {
    const token = argv[index];
    const state = scan.take(token);
    if (state === 'taken') continue;
    if (state === 'escape') index += 1;
    break;
  }
  scan.end(context.env);
  return {command, options: scan.values, trailing: argv.slice(index)};
}

/** A subcommand without trailing arguments: whatever is not an option is a usage error. */
function plainCommand(command, argv, options, context) {
  const usage = `agent-vm ${command} [OPTIONS]`;
  const scan = new Scan(command, options, usage);
  let escaped = false;
  for (const token of argv) {
    const state = escaped ? 'other' : scan.take(token);
    if (state === 'other') throw unexpected(token, usage);
    escaped = state === 'escape';
  }
  scan.end(context.env);
  return {command, options: scan.values, trailing: []};
}

function clipboardCommand(argv, context) {
  const [operation, ...rest] = argv;
  if (operation === undefined) throw new Ending(2, '', commandHelp('clipboard', []));
  if (operation === '--help' || operation === '-h') throw new Ending(0, commandHelp('clipboard', []), '');
  if (operation !== 'get' && operation !== 'put') {
    throw usageError(`unrecognized subcommand '${operation}'`, 'agent-vm clipboard <COMMAND>');
  }
  const usage = `agent-vm clipboard ${operation} [OPTIONS]${operation === 'put' ? ' [VALUE]' : ''}`;
  const scan = new Scan(`clipboard ${operation}`, [SYS], usage);
  const values = [];
  let escaped = false;
  for (const token of rest) {
    const state = escaped ? 'other' : scan.take(token);
    if (state === 'escape') escaped = true;
    else if (state === 'other') {
      if ((!escaped && token.startsWith('-') && token !== '-') || operation === 'get' || values.length > 0) {
        throw unexpected(token, usage);
      }
      values.push(token);
    }
  }
  scan.end(context.env);
  return {command: 'clipboard', operation, options: scan.values, value: values[0] ?? null, trailing: []};
}
