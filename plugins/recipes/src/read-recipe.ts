import type {Json} from 'bootcut/plugin';
import {isRecord} from './is-record.js';
import {commandPlace, placeholderFault} from './placeholders.js';
import {readPatterns} from './read-patterns.js';
import {type Item, type PassName, passable, type Recipe, servable} from './recipe.js';

/** A recipe of the settings, or what is wrong with it: a line each, beginning with the setting's name. */
export type ReadRecipe =
  | {readonly ok: true; readonly recipe: Recipe}
  | {readonly ok: false; readonly faults: readonly string[]};

const fields = ['command', 'env', 'milestones', 'pass', 'verbs', 'package'];

/** Longest list and longest text: far above any launcher's, far below what an exec can take (128 KiB for one text). */
const mostItems = 256;
const longestText = 8192;

/** A launch asks several times, with one object that its settings were read to. */
const known = new WeakMap<object, ReadRecipe>();

/** Reads `plugins.recipes.NAME`. */
export const readRecipe = (name: string, value: Json | undefined): ReadRecipe => {
  if (typeof value !== 'object' || value === null) return readAnew(name, value);
  const read = known.get(value) ?? readAnew(name, value);
  known.set(value, read);
  return read;
};

const readAnew = (name: string, value: Json | undefined): ReadRecipe => {
  const setting = `plugins.recipes.${name}`;
  if (!isRecord(value))
    return {ok: false, faults: [`${setting} must be an object with a command: {"command": ["msb", …]}`]};
  const faults: string[] = [];
  const complain = (field: string) => (text: string) => {
    faults.push(`${setting}.${field} ${text}`);
  };
  for (const field of Object.keys(value))
    if (!fields.includes(field)) faults.push(`${setting} has no field ${field}; there are: ${fields.join(', ')}`);
  const command = readCommand(value['command'], complain('command'));
  const recipe: Recipe = {
    ...command,
    env: readEnvironment(value['env'], complain('env')),
    milestones: readPatterns(value['milestones'], complain('milestones')),
    pass: readNames(value['pass'], Object.keys(passable) as PassName[], complain('pass')),
    verbs: readNames(value['verbs'], servable, complain('verbs')),
    ...readPackage(value['package'], complain('package')),
  };
  return faults.length === 0 ? {ok: true, recipe} : {ok: false, faults};
};

type Complain = (text: string) => void;

const noCommand = {program: '', before: [], after: []};

const readCommand = (value: unknown, complain: Complain): Pick<Recipe, 'program' | 'before' | 'after'> => {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostItems) {
    complain(`must be a list of 1 to ${mostItems} arguments, the launcher first`);
    return noCommand;
  }
  const [program, ...others] = value as readonly unknown[];
  if (typeof program !== 'string' || program === '' || program === commandPlace || isUnusable(program)) {
    complain('must begin with the launcher: a name on the PATH, or a path');
    return noCommand;
  }
  const wrong = placeholderFault(program, false);
  if (wrong !== undefined) complain(wrong);
  const places = others.flatMap((item, index) => (item === commandPlace ? [index] : []));
  if (places.length > 1) complain(`has ${commandPlace} ${places.length} times; the caller’s arguments have one place`);
  // Without a place of their own they come last, as most launchers want them.
  const at = places[0] ?? others.length;
  const read = (items: readonly unknown[]): readonly Item[] =>
    items.filter((item) => item !== commandPlace).flatMap((item) => readItem(item, complain));
  return {program, before: read(others.slice(0, at)), after: read(others.slice(at + 1))};
};

const readItem = (value: unknown, complain: Complain): readonly Item[] => {
  const item = typeof value === 'string' ? {args: [value]} : value;
  if (!isRecord(item) || !isTexts(item['args']) || Object.keys(item).some((key) => key !== 'args' && key !== 'when')) {
    complain(`has ${shown(value)}; an item is a text or {"when": "tty" or "git-identity", "args": [texts]}`);
    return [];
  }
  const {args, when} = item as {readonly args: readonly string[]; readonly when?: unknown};
  if (typeof value !== 'string' && when !== 'tty' && when !== 'git-identity') {
    complain(`has an item whose when is ${shown(when)}; it must be tty or git-identity`);
    return [];
  }
  const faults = args.flatMap((text) => placeholderFault(text, when === 'git-identity') ?? []);
  for (const fault of faults) complain(fault);
  return [{texts: args, ...(when === 'tty' || when === 'git-identity' ? {when} : {})}];
};

const readEnvironment = (value: unknown, complain: Complain): Recipe['env'] => {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    complain('must be an object: {"NAME": "text", "OTHER": null}; null takes a variable away');
    return {};
  }
  for (const [name, text] of Object.entries(value)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) complain(`has ${shown(name)}, which cannot be the name of a variable`);
    else if (text !== null && (typeof text !== 'string' || isUnusable(text)))
      complain(`has ${name}: its value must be a text, or null to take the variable away`);
    else {
      const wrong = placeholderFault(text ?? '', false);
      if (wrong !== undefined) complain(wrong);
    }
  }
  return value as Recipe['env'];
};

/** A list of some of these names; without one, of none. */
const readNames = <N extends string>(value: unknown, names: readonly N[], complain: Complain): readonly N[] => {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((name) => names.includes(name as N))) return value as readonly N[];
  complain(`must be a list of ${names.join(', ')}`);
  return [];
};

const readPackage = (value: unknown, complain: Complain): Pick<Recipe, 'package'> => {
  if (value === undefined) return {};
  if (
    typeof value === 'string' &&
    value.length <= 214 &&
    /^(?:@[a-z\d~][a-z\d._~-]*\/)?[a-z\d~][a-z\d._~-]*$/.test(value)
  )
    return {package: value};
  complain('must be the name of an npm package');
  return {};
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.length <= mostItems &&
  value.every((text) => typeof text === 'string' && !isUnusable(text));

/** An argument cannot hold a zero byte, nor half of a character. */
// biome-ignore lint: the zero byte is the point
const isUnusable = (text: string): boolean => text.length > longestText || /[\u0000\p{Surrogate}]/u.test(text);

/** A value as it stands in the file, cut. */
const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
