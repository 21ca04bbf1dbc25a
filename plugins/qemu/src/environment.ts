import {gitIdentityEdits, type Json, type Launch, type PlanEdit} from 'bootcut/plugin';

/** The guest's environment: what `bootcut-vm` is told, and variables it must have itself to hand them on. */
export interface GuestEnvironment {
  readonly args: readonly string[];
  readonly edits: readonly PlanEdit[];
}

/** Handed on from the caller when set: how the terminal, the language and the time look. Nothing that can be a secret. */
const handedOn = [
  ...['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'SHELL', 'EDITOR', 'VISUAL', 'PAGER', 'LESS'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_ADDRESS', 'LC_COLLATE', 'LC_CTYPE', 'LC_IDENTIFICATION', 'LC_MEASUREMENT'],
  ...['LC_MESSAGES', 'LC_MONETARY', 'LC_NAME', 'LC_NUMERIC', 'LC_PAPER', 'LC_TELEPHONE', 'LC_TIME', 'TZ'],
];

const gitVariables = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];

/** A shell's own, where the caller's PATH has none of them. */
const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * The variables of a guest. `visible` are the host directories it sees, by which PATH is cut. Git's identity comes from
 * the answers; the caller's own variables win, as they do without a VM.
 */
export const guestEnvironment = (
  launch: Pick<Launch, 'env'>,
  wanted: readonly string[],
  visible: readonly string[],
  identity: Json | undefined,
): GuestEnvironment => {
  const edits = gitIdentityEdits(launch, identity);
  const names = [...handedOn, ...gitVariables].filter(
    (name) => launch.env[name] !== undefined || edits.some((edit) => edit.kind === 'set-env' && edit.name === name),
  );
  const asked = new Set(wanted.map((item) => item.split('=')[0]));
  const path = asked.has('PATH') ? [] : [`PATH=${guestPath(launch.env['PATH'], visible)}`];
  const items = [...names.filter((name) => !asked.has(name)), ...path, ...wanted];
  return {args: items.flatMap((item) => ['--env', item]), edits};
};

const guestPath = (path: string | undefined, visible: readonly string[]): string => {
  const isVisible = (directory: string): boolean =>
    visible.some((parent) => directory === parent || directory.startsWith(`${parent}/`));
  const kept = (path ?? '').split(':').filter((directory) => directory.startsWith('/') && isVisible(directory));
  const missing = systemPath.filter((directory) => !kept.includes(directory));
  return [...new Set([...kept, ...missing])].join(':');
};
