import {realpathSync} from 'node:fs';
import {findGitRepository, type Launch} from 'bootcut/plugin';

/** `{name}` stands for a value of the launch, `{{name}}` for the text `{name}`; other braces are text. */
const pattern = /\{\{([a-z]+(?:-[a-z]+)*)\}\}|\{([a-z]+(?:-[a-z]+)*)\}/g;

/** Where the caller's own arguments go; an item of its own. */
export const commandPlace = '{command}';

const ofLaunch = ['cwd', 'project', 'home', 'uid', 'gid'] as const;
const ofIdentity = ['git-name', 'git-email'] as const;

/** What is wrong with the placeholders of a text, as the end of a sentence, or undefined. */
export const placeholderFault = (text: string, hasIdentity: boolean): string | undefined => {
  const known: readonly string[] = [...ofLaunch, ...(hasIdentity ? ofIdentity : [])];
  const wrong = namesIn(text).find((name) => !known.includes(name));
  if (wrong === undefined) return undefined;
  if (wrong === 'command')
    return `has {command} inside of '${text}': it must be an item by itself, because arguments cannot become part of a text byte for byte`;
  if ((ofIdentity as readonly string[]).includes(wrong))
    return `has {${wrong}} in '${text}', which is known only in an item {"when": "git-identity", "args": […]}`;
  const names = known.map((name) => `{${name}}`).join(', ');
  return `has {${wrong}} in '${text}'; there are ${names}; write {{${wrong}}} if the braces are meant`;
};

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(([, , name]) => (name === undefined ? [] : [name]));

type Value = string | {readonly missing: string};

/** How to come by the value of each placeholder: only those in use are looked for. One without a value says why. */
export type Values = Readonly<Record<string, () => Value>>;

export const valuesOf = (launch: Launch, identity?: {readonly name: string; readonly email: string}): Values => ({
  cwd: () => placeOf(launch.cwd, 'the working directory'),
  project: () => projectOf(launch),
  home: () => placeOf(launch.env['HOME'] ?? '', 'HOME'),
  // The daemon runs as the user whose launches it plans.
  uid: () => String(process.getuid?.() ?? ''),
  gid: () => String(process.getgid?.() ?? ''),
  'git-name': () => identity?.name ?? '',
  'git-email': () => identity?.email ?? '',
});

/** The git working tree around the directory, else that directory; never one with the home directory, and its keys, in it. */
const projectOf = (launch: Launch): Value => {
  const home = launch.env['HOME'] ?? '';
  const hasHome = (path: string): boolean =>
    home.startsWith('/') && `${physical(home)}/`.startsWith(`${physical(path)}/`.replace(/^\/+$/, '/'));
  const top = findGitRepository(launch)?.top;
  const project = top === undefined || hasHome(top) ? launch.cwd : top;
  if (hasHome(project)) return {missing: `there is no project here: ${project} has your home directory in it`};
  return placeOf(project, 'the project directory');
};

const physical = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** A name that is no UTF-8 has come to us with U+FFFD in it: another directory, if any. */
const placeOf = (path: string, what: string): Value => {
  if (!path.startsWith('/')) return {missing: `${what} is not known`};
  return path.includes('\ufffd') ? {missing: `${what} has a name that is not UTF-8`} : path;
};

/** The text with its values, or why one of them is missing. */
export const fill = (text: string, values: Values): Value => {
  const found = new Map(namesIn(text).map((name) => [name, values[name]?.() ?? '']));
  const missing = [...found.values()].find((value) => typeof value !== 'string');
  if (missing !== undefined) return missing;
  return text.replace(pattern, (_, literal: string | undefined, name: string | undefined) => {
    const value = found.get(name ?? '');
    return literal === undefined ? (typeof value === 'string' ? value : '') : `{${literal}}`;
  });
};
