import {definePlugin, defineRuntime, githubReposEdits, gitIdentityEdits} from 'bootcut/plugin';

/** `bootcut run`: any program, started as it is. Values that other plugins provide become environment variables. */
export default definePlugin({
  name: 'process',
  runtimes: [
    defineRuntime({
      name: 'process',
      verbs: ['run'],
      uses: ['preconnect/proxy'],
      plan: (launch, answers) => [
        ...gitIdentityEdits(launch, answers['git-identity']),
        ...githubReposEdits(launch, answers['github-repos']),
      ],
    }),
  ],
});
