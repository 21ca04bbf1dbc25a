import type {Json, Launch, PlanEdit} from 'bootcut/plugin';

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
  const git = identityVariables(launch, identity);
  const names = [...handedOn, ...git.names].filter(
    (name) => launch.env[name] !== undefined || git.edits.some((edit) => edit.kind === 'set-env' && edit.name === name),
  );
  const asked = new Set(wanted.map((item) => item.split('=')[0]));
  const path = asked.has('PATH') ? [] : [`PATH=${guestPath(launch.env['PATH'], visible)}`];
  const items = [...names.filter((name) => !asked.has(name)), ...path, ...wanted];
  return {args: items.flatMap((item) => ['--env', item]), edits: git.edits};
};

const guestPath = (path: string | undefined, visible: readonly string[]): string => {
  const isVisible = (directory: string): boolean =>
    visible.some((parent) => directory === parent || directory.startsWith(`${parent}/`));
  const kept = (path ?? '').split(':').filter((directory) => directory.startsWith('/') && isVisible(directory));
  const missing = systemPath.filter((directory) => !kept.includes(directory));
  return [...new Set([...kept, ...missing])].join(':');
};

/** Values a program could not hold: an environment is a list of zero-terminated lines. */
const unusable = /[\0\r\n]/;

/** Git's identity as variables of the guest; the caller's own win. */
export const identityVariables = (
  {env}: Pick<Launch, 'env'>,
  identity: Json | undefined,
): {readonly names: readonly string[]; readonly edits: readonly PlanEdit[]} => {
  const variables = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, field(identity, 'name')] as const,
    [`GIT_${role}_EMAIL`, field(identity, 'email')] as const,
  ]);
  return {
    names: variables.map(([name]) => name),
    edits: variables.flatMap(([name, value]): readonly PlanEdit[] =>
      value === undefined || value === '' || unusable.test(value) || env[name] !== undefined
        ? []
        : [{kind: 'set-env', name, value}],
    ),
  };
};

const field = (value: Json | undefined, name: string): string | undefined => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const found = (value as Readonly<Record<string, Json>>)[name];
  return typeof found === 'string' ? found : undefined;
};
