import {
  days,
  directoryIdentity,
  fileIdentity,
  findExecutable,
  hashed,
  hours,
  type KeyPart,
  type Launch,
  lookup,
  NoAnswer,
  type ReadTools,
  seconds,
} from 'bootcut/plugin';
import {apiOf, askApi} from './ask-api.js';
import {askGh} from './ask-gh.js';
import {environmentToken, ghConfigDirectory, githubHost} from './github-account.js';
import {githubUserFrom, parseGithubUser} from './github-user.js';

/** The identity of the account that gh, or a token in the environment, stands for. */
export const github = lookup({
  name: 'github',
  neededBy: 'run',
  freshFor: hours(24),
  keepFor: days(7),
  // agent-vm's own limit for `gh api user`.
  limit: seconds(3),
  private: true,
  key: (launch) => githubKey(launch),
  read: (launch, tools) => readGithubUser(launch, tools),
  asks: (launch) => {
    const host = githubHost(launch);
    const asksApi = findExecutable(launch, 'gh') === undefined && environmentToken(launch, host) !== undefined;
    return asksApi ? [apiOf(host)] : [];
  },
  parse: parseGithubUser,
});

const tokens = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];

/**
 * Every account switch, log-in and log-out rewrites a file of gh's configuration, so the identity of those files
 * stands for the account. The proxy is not part: it changes the way to the answer and not the answer.
 */
const githubKey = (launch: Launch): readonly KeyPart[] => {
  const gh = findExecutable(launch, 'gh');
  const directory = ghConfigDirectory(launch);
  return [
    gh,
    gh === undefined ? undefined : fileIdentity(gh),
    directory,
    directory === undefined ? undefined : directoryIdentity(directory),
    launch.env['GH_HOST'],
    ...tokens.map((name) => hashed(launch.env[name])),
    launch.env['HOME'],
  ];
};

const readGithubUser = async (launch: Launch, tools: ReadTools) => {
  const host = githubHost(launch);
  if (findExecutable(launch, 'gh') !== undefined)
    return githubUserFrom(await tools.span('gh api user', () => askGh(launch, tools)), host);
  const token = environmentToken(launch, host);
  if (token === undefined) throw new NoAnswer('not-logged-in', 'there is neither gh nor a token');
  return await tools.span('GET /user', () => askApi(launch, {host, token}, tools));
};
