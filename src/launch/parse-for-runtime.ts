import {type CommandLine, parseCommandLine, type ToolFlags} from './command-line.js';

/** What of a runtime decides how a command line is read. */
export interface ToolRuntime {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly flags: ToolFlags;
}

/**
 * Takes the command line apart by the flags of the runtime that it asks for. Which one that is may stand behind such flags,
 * so the first look goes by those of every runtime that serves the verb.
 */
export const parseForRuntime = (
  runtimes: readonly ToolRuntime[],
  tokens: readonly string[],
  byVerb: ToolRuntime | undefined,
  wantedOf: (flags: Extract<CommandLine, {kind: 'launch'}>['flags']) => string | undefined,
): CommandLine => {
  const serving = runtimes.filter(({verbs}) => verbs.includes(tokens[0] ?? ''));
  const all = {
    value: serving.flatMap(({flags}) => flags.value),
    plain: serving.flatMap(({flags}) => flags.plain),
  };
  const first = parseCommandLine(tokens, all, byVerb?.verbs ?? []);
  if (serving.length < 2) return first;
  const wanted = first.kind === 'launch' ? wantedOf(first.flags) : undefined;
  const runtime = serving.find(({name}) => name === wanted) ?? byVerb;
  return parseCommandLine(tokens, runtime?.flags ?? {value: [], plain: []}, runtime?.verbs ?? []);
};
