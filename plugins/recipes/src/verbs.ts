import type {Launch, PlanEdit} from 'bootcut/plugin';
import type {Recipe} from './recipe.js';

/** Where nothing says which shell the user has. */
const plainShell = '/bin/sh';

/**
 * Makes the command of the argument list. That of `run` is one. With every other verb its word comes first, and a `--`
 * may follow: `shell` goes with both, and an agent's word stays, as the program to run. A text says why the recipe does not
 * serve this command line.
 */
export const commandOf = (
  {verb, runtime, argv, env}: Pick<Launch, 'verb' | 'runtime' | 'argv' | 'env'>,
  {verbs}: Pick<Recipe, 'verbs'>,
): readonly PlanEdit[] | string => {
  if (verb === 'run') return [];
  if (!(verbs as readonly string[]).includes(verb)) {
    const served = verbs.length === 0 ? '' : `; its verbs: ${['run', ...verbs].join(', ')}`;
    return `${runtime} is a recipe, which runs commands: bootcut run --runtime ${runtime} -- CMD${served}`;
  }
  const [, next] = argv;
  const hasDashes = next === '--';
  if (!hasDashes && next?.startsWith('-') === true && next !== '-')
    return `there is no flag ${next}; put -- before what begins with a dash`;
  const from = verb === 'shell' ? 0 : 1;
  const count = (hasDashes ? 2 : 1) - from;
  const bare = verb === 'shell' && argv.length === count;
  return [
    ...(count === 0 ? [] : [{kind: 'remove-args', at: from, count} satisfies PlanEdit]),
    ...(bare ? [{kind: 'insert-args', at: argv.length, args: [shellOf(env)]} satisfies PlanEdit] : []),
  ];
};

const shellOf = ({SHELL}: Launch['env']): string => (SHELL?.startsWith('/') === true ? SHELL : plainShell);
