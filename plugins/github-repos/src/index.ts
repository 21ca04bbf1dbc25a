/**
 * Which GitHub repositories a launch is about: what a sandbox may be given access to.
 */
import {days, definePlugin, hours, lookup} from 'bootcut/plugin';
import {readRepos} from './repos.js';
import {reposKey} from './repos-key.js';
import {githubRepos, parseRepos} from './stored-repos.js';

export default definePlugin({
  name: 'github-repos',
  steps: [
    lookup({
      name: 'repos',
      // agent-vm's plan holds the allow-list.
      neededBy: 'boot',
      // The key holds the identity of every file that the answer comes from, so time alone changes nothing.
      freshFor: hours(24),
      keepFor: days(30),
      private: true,
      key: reposKey,
      read: readRepos,
      parse: parseRepos,
    }),
  ],
  compose: ({repos}) =>
    repos === undefined ? [] : [{kind: 'provide', name: 'github-repos', value: githubRepos(parseRepos(repos))}],
});
