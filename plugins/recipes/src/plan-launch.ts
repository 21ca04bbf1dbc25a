import {githubReposEdits, gitIdentityEdits, type Json, type Launch, type PlanEdit} from 'bootcut/plugin';
import {findProgram} from './find-program.js';
import {type Identity, knownIdentity} from './handed-on.js';
import {launchRecipe} from './launch-recipe.js';
import {fill, type Values, valuesOf} from './placeholders.js';
import type {Item, Recipe} from './recipe.js';
import {commandOf} from './verbs.js';

/** Exit statuses: a wrong command line, bootcut cannot launch, no such command. */
const [wrongUse, cannotLaunch, notFound] = [2, 125, 127];

/**
 * The launcher with the caller's arguments in their place. A recipe that cannot be followed ends the launch: whoever asked
 * for a sandbox is never given the host instead.
 */
export const planLaunch = (launch: Launch, answers: Readonly<Record<string, Json>>): readonly PlanEdit[] => {
  const {runtime: name} = launch;
  const read = launchRecipe(launch);
  if (!read.ok) return refuse(cannotLaunch, read.faults.map((fault) => `bootcut: the setting ${fault}`).join('\n'));
  const {recipe} = read;
  const command = commandOf(launch, recipe);
  if (typeof command === 'string') return refuse(wrongUse, `bootcut ${launch.verb}: ${command}`);
  const program = findProgram(launch, recipe);
  if (program.kind === 'missing') return refuse(notFound, `bootcut: the recipe ${name} ${program.text}`);
  const identity = knownIdentity(launch, answers['git-identity']);
  const filled = fillRecipe(launch, recipe, identity);
  if ('missing' in filled)
    return refuse(cannotLaunch, `bootcut: the recipe ${name} cannot be followed: ${filled.missing}`);
  const prefixes = [...new Set(recipe.milestones.map(({line}) => line))];
  return [
    {kind: 'executable', path: program.path},
    {kind: 'prefix-args', args: filled.before},
    ...command,
    ...(filled.after.length === 0
      ? []
      : [{kind: 'insert-args', at: launch.argv.length, args: filled.after} satisfies PlanEdit]),
    ...gitIdentityEdits(launch, answers['git-identity']),
    ...githubReposEdits(launch, answers['github-repos']),
    ...filled.env,
    ...(prefixes.length === 0 ? [] : [{kind: 'observe-stderr', prefixes} satisfies PlanEdit]),
  ];
};

const refuse = (status: number, text: string): readonly PlanEdit[] => [{kind: 'refuse', text, status}];

interface Filled {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly env: readonly PlanEdit[];
}

const fillRecipe = (
  launch: Launch,
  recipe: Recipe,
  identity: Identity | undefined,
): Filled | {readonly missing: string} => {
  const values = valuesOf(launch, identity);
  const holds = {
    tty: launch.stdio[0] === 'tty' && launch.stdio[1] === 'tty',
    'git-identity': identity !== undefined,
  };
  const texts = (items: readonly Item[]): readonly string[] =>
    items.filter(({when}) => when === undefined || holds[when]).flatMap((item) => item.texts);
  const before = fillAll([recipe.program, ...texts(recipe.before)], values);
  const after = fillAll(texts(recipe.after), values);
  const names = Object.keys(recipe.env);
  const env = fillAll(
    names.map((name) => recipe.env[name] ?? ''),
    values,
  );
  if ('missing' in before) return before;
  if ('missing' in after) return after;
  if ('missing' in env) return env;
  const edits = names.map(
    (name, index): PlanEdit =>
      recipe.env[name] === null ? {kind: 'unset-env', name} : {kind: 'set-env', name, value: env.texts[index] ?? ''},
  );
  return {before: before.texts, after: after.texts, env: edits};
};

const fillAll = (
  texts: readonly string[],
  values: Values,
): {readonly texts: readonly string[]} | {readonly missing: string} => {
  const filled = texts.map((text) => fill(text, values));
  const missing = filled.find((text) => typeof text !== 'string');
  return missing === undefined ? {texts: filled.filter((text) => typeof text === 'string')} : missing;
};
