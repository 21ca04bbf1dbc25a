/**
 * The GitHub token of this launch, for runtimes and users who want it inside: asked for at every launch, and kept
 * nowhere.
 */
import {definePlugin, NoAnswer, seconds, secret} from 'bootcut/plugin';
import {githubHost, isGithub} from './host.js';
import {environmentToken, storedToken} from './token.js';

export default definePlugin({
  name: 'gh-token',
  steps: [
    secret({
      name: 'token',
      neededBy: 'run',
      // gh answers in some 30 ms; a locked keyring lets it wait for a person.
      limit: seconds(3),
      read: async (launch, {signal}) => {
        const token = environmentToken(launch) ?? (await storedToken(launch, signal));
        if (!isToken(token)) throw new NoAnswer('malformed', 'what stands for the token cannot be one');
        return token;
      },
      apply: (token, launch) => [
        {kind: 'set-env', name: isGithub(githubHost(launch)) ? 'GH_TOKEN' : 'GH_ENTERPRISE_TOKEN', value: token},
      ],
    }),
  ],
});

/** Visible ASCII without blanks: a token goes into a header. */
const isToken = (text: string): boolean => /^[!-~]+$/.test(text);
