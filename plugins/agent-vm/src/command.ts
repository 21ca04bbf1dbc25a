import type {Launch} from 'bootcut/plugin';

/** The subcommands of agent-vm that boot a sandbox for the user; they share one set of flags. */
export const launchVerbs = ['shell', 'claude', 'codex', 'opencode', 'copilot'] as const;

export type LaunchVerb = (typeof launchVerbs)[number];

/** The subcommands that we hand on as they are. */
export const passThroughVerbs = ['setup', 'pull', 'clipboard'] as const;

/** A launch of a sandbox, as agent-vm's own command line says it. */
export interface LaunchCommand {
  readonly verb: LaunchVerb;
  /** What follows the verb: options first, then what belongs to the guest. */
  readonly args: readonly string[];
  /** Items that go before the target's own list so that it starts with `agent-vm <verb>`. */
  readonly prefix: readonly string[];
  /** Where in the target's own list an item directly after the verb goes; undefined: at the end of `prefix`. */
  readonly at: number | undefined;
}

/**
 * What `launch` asks agent-vm to boot; undefined for everything that is only passed through. `bootcut agent-vm shell …`
 * is `bootcut shell …`, and `bootcut run` with this runtime is a command for the sandbox's shell.
 */
export const launchCommand = (launch: Pick<Launch, 'verb' | 'argv'>): LaunchCommand | undefined => {
  const {argv} = launch;
  if (launch.verb === 'run') return {verb: 'shell', args: [], prefix: ['agent-vm', 'shell'], at: undefined};
  const named = launch.verb === 'agent-vm' && argv[0] === 'agent-vm';
  const verb = argv[named ? 1 : 0];
  if (!isLaunchVerb(verb)) return undefined;
  return named
    ? {verb, args: argv.slice(2), prefix: [], at: 2}
    : {verb, args: argv.slice(1), prefix: ['agent-vm'], at: 1};
};

const isLaunchVerb = (text: string | undefined): text is LaunchVerb => launchVerbs.some((verb) => verb === text);
