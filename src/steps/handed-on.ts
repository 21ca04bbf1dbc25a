import type {Json} from '../model/json.js';
import type {Launch} from '../model/launch.js';
import type {PlanEdit} from '../model/plan.js';

type Caller = Pick<Launch, 'env'>;

/** Values a program could not hold: an environment is a list of zero-terminated lines. */
const unusable = /[\0\r\n]/;

/** A provided identity (`git-identity`: `{name, email}`) as git's own variables, for author and committer alike. */
export const gitIdentityEdits = (caller: Caller, identity: Json | undefined): readonly PlanEdit[] =>
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    ...setUnlessGiven(caller, `GIT_${role}_NAME`, field(identity, 'name')),
    ...setUnlessGiven(caller, `GIT_${role}_EMAIL`, field(identity, 'email')),
  ]);

/** Provided repositories (`github-repos`) as one variable: comma-joined `owner/repo` names, in the order given. */
export const githubReposEdits = (caller: Caller, repositories: Json | undefined): readonly PlanEdit[] => {
  const names = Array.isArray(repositories) ? repositories.filter((name) => typeof name === 'string') : [];
  return setUnlessGiven(caller, 'BOOTCUT_GITHUB_REPOS', names.join(','));
};

/** The caller's own variable wins, an empty one too: it may be there to switch something off. */
const setUnlessGiven = ({env}: Caller, name: string, value: string | undefined): readonly PlanEdit[] => {
  if (value === undefined || value === '' || unusable.test(value)) return [];
  return env[name] === undefined ? [{kind: 'set-env', name, value}] : [];
};

const field = (value: Json | undefined, name: string): string | undefined => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const found = (value as Readonly<Record<string, Json>>)[name];
  return typeof found === 'string' ? found : undefined;
};
