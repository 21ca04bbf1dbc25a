import {settings} from '../config/settings.js';

/** A launch command line, taken apart: our own flags out, everything else as positions in what was given. */
export type CommandLine =
  | {
      readonly kind: 'launch';
      readonly verb: string;
      /** Our flags: name without dashes, and the values in the order given (`true` for a flag without one). */
      readonly flags: ReadonlyMap<string, readonly (string | true)[]>;
      /** Positions in the command line (0 is the verb) of the items that make up the target's argument list. */
      readonly kept: readonly number[];
    }
  | {readonly kind: 'help'; readonly verb: string}
  | {readonly kind: 'usage'; readonly text: string};

/** The wrapped tool's flags that may stand before the command. */
export interface ToolFlags {
  readonly value: readonly string[];
  readonly plain: readonly string[];
}

/** Verbs whose word is ours alone; every other verb is the wrapped tool's own word and reaches it. */
const ownVerbs = ['run'];

/** Verbs that hand everything to the tool: `--help` among it is the tool's. */
const passThroughVerbs = ['agent-vm', 'setup', 'pull', 'clipboard'];

const flagKinds: ReadonlyMap<string, 'value' | 'plain'> = new Map(
  settings.flatMap((setting) =>
    'flag' in setting ? [[setting.flag, setting.kind === 'switch' ? 'plain' : 'value'] as const] : [],
  ),
);

/**
 * Our flags count only between the verb and the first token that is neither ours nor the wrapped tool's; from there on
 * every token is the target's, `--` and `--help` included. Only for `run` is the first `--` taken out.
 */
export const parseCommandLine = (
  tokens: readonly string[],
  toolFlags: ToolFlags,
  toolVerbs: readonly string[],
): CommandLine => {
  const [verb = ''] = tokens;
  const flags = new Map<string, (string | true)[]>();
  const kept: number[] = ownVerbs.includes(verb) ? [] : [0];
  let at = 1;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const own = readOwnFlag(token, tokens[at + 1]);
    if (own === 'missing') return {kind: 'usage', text: `${token} needs a value`};
    if (own === 'unwanted') return {kind: 'usage', text: `${token.split('=')[0]} takes no value`};
    if (own !== undefined) {
      flags.set(own.name, [...(flags.get(own.name) ?? []), own.value]);
      at += own.extra;
      continue;
    }
    if ((token === '--help' || token === '-h') && !passThroughVerbs.includes(verb)) return {kind: 'help', verb};
    const isToolVerb = verb === 'agent-vm' && kept.length === 1 && toolVerbs.includes(token);
    const tool = isToolVerb ? 0 : toolFlagLength(token, toolFlags);
    if (tool === undefined) break;
    kept.push(at);
    if (tool === 1 && at + 1 < tokens.length) kept.push(at + 1);
    at += tool;
  }
  return finish(verb, tokens, Math.min(at, tokens.length), flags, kept);
};

const finish = (
  verb: string,
  tokens: readonly string[],
  at: number,
  flags: ReadonlyMap<string, readonly (string | true)[]>,
  kept: number[],
): CommandLine => {
  let start = at;
  if (ownVerbs.includes(verb)) {
    const token = tokens[start];
    if (token === '--') start += 1;
    else if (token?.startsWith('-') === true && token !== '-') {
      return {kind: 'usage', text: `there is no flag ${token}; put -- before a command that begins with a dash`};
    }
    if (start >= tokens.length) return {kind: 'usage', text: 'no command given; for example: bootcut run -- make test'};
  }
  for (let index = start; index < tokens.length; index += 1) kept.push(index);
  return {kind: 'launch', verb, flags, kept};
};

const readOwnFlag = (
  token: string,
  next: string | undefined,
):
  | {readonly name: string; readonly value: string | true; readonly extra: 0 | 1}
  | 'missing'
  | 'unwanted'
  | undefined => {
  if (!token.startsWith('--') || token === '--') return undefined;
  const equals = token.indexOf('=');
  const name = token.slice(2, equals < 0 ? undefined : equals);
  const kind = flagKinds.get(name);
  if (kind === undefined) return undefined;
  if (kind === 'plain') return equals < 0 ? {name, value: true, extra: 0} : 'unwanted';
  if (equals >= 0) return {name, value: token.slice(equals + 1), extra: 0};
  return next === undefined || next === '--' ? 'missing' : {name, value: next, extra: 1};
};

/** 0: the token alone; 1: it takes the next one as well; undefined: not a flag of the tool. */
const toolFlagLength = (token: string, flags: ToolFlags): 0 | 1 | undefined => {
  if (flags.plain.includes(token)) return 0;
  if (flags.value.includes(token)) return 1;
  const equals = token.indexOf('=');
  return token.startsWith('--') && equals > 0 && flags.value.includes(token.slice(0, equals)) ? 0 : undefined;
};
