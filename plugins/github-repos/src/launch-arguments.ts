import type {Launch} from 'bootcut/plugin';

/** What the target's own flags say about repositories. */
export interface RepoArguments {
  /** Detect nothing; only `--repo` counts. */
  readonly noGit: boolean;
  readonly repos: readonly string[];
  /** Host directories of mounts, as written. */
  readonly mounts: readonly string[];
}

/** agent-vm's flags that take the next token, and those that stand alone (v0.1.28). */
const valueFlags = new Set(['--memory', '--cpus', '--repo', '--mount', '--publish', '-p', '--allow-egress', '--image']);
const plainFlags = new Set(['--no-git', '--auto-publish', '--allow-lan', '--allow-host', '--no-update-check']);

/**
 * Reads the flags between the verb and the guest's arguments: those begin at the first word, `--`, or flag that
 * agent-vm does not know. A program (runtime `process`) has none: its flags are its own.
 */
export const repoArguments = ({runtime, argv}: Launch): RepoArguments => {
  const flags = runtime === 'process' ? [] : parseFlags(argv.slice(1));
  const valuesOf = (name: string): readonly string[] => flags.flatMap((flag) => (flag.name === name ? flag.value : []));
  return {
    noGit: flags.some(({name}) => name === '--no-git'),
    repos: valuesOf('--repo'),
    mounts: valuesOf('--mount').map((mount) => mount.split(':')[0] ?? ''),
  };
};

interface Flag {
  readonly name: string;
  readonly value: string;
}

const parseFlags = (tokens: readonly string[]): readonly Flag[] => {
  const flags: Flag[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(token) ?? [];
    if (name !== undefined && value !== undefined && valueFlags.has(name)) flags.push({name, value});
    else if (plainFlags.has(token)) flags.push({name: token, value: ''});
    else if (valueFlags.has(token)) flags.push({name: token, value: tokens[(index += 1)] ?? ''});
    else break;
  }
  return flags;
};
