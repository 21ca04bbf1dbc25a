import {definePlugin, defineRuntime, type Json, type Launch, type PlanEdit} from 'bootcut/plugin';

/** Values a program could not hold: an environment is a list of zero-terminated lines. */
const unusable = /[\0\r\n]/;

/** `bootcut run`: any program, started as it is. Values that other plugins provide become environment variables. */
export default definePlugin({
  name: 'process',
  runtimes: [
    defineRuntime({
      name: 'process',
      verbs: ['run'],
      plan: (launch, answers) => [
        ...identityEdits(launch, answers['git-identity']),
        ...repositoryEdits(launch, answers['github-repos']),
      ],
    }),
  ],
});

/** git's own variables, for author and committer alike. */
const identityEdits = (launch: Launch, identity: Json | undefined): readonly PlanEdit[] =>
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    ...setUnlessGiven(launch, `GIT_${role}_NAME`, field(identity, 'name')),
    ...setUnlessGiven(launch, `GIT_${role}_EMAIL`, field(identity, 'email')),
  ]);

/** Comma-joined `owner/repo` names, in the order given. */
const repositoryEdits = (launch: Launch, repositories: Json | undefined): readonly PlanEdit[] => {
  const names = Array.isArray(repositories) ? repositories.filter((name) => typeof name === 'string') : [];
  return setUnlessGiven(launch, 'BOOTCUT_GITHUB_REPOS', names.join(','));
};

/** The caller's own variable wins, an empty one too: it may be there to switch something off. */
const setUnlessGiven = (launch: Launch, name: string, value: string | undefined): readonly PlanEdit[] => {
  if (value === undefined || value === '' || unusable.test(value)) return [];
  return launch.env[name] === undefined ? [{kind: 'set-env', name, value}] : [];
};

const field = (value: Json | undefined, name: string): string | undefined => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const found = (value as Readonly<Record<string, Json>>)[name];
  return typeof found === 'string' ? found : undefined;
};
