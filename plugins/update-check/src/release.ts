import {
  check,
  days,
  githubClient,
  hashed,
  hours,
  type Launch,
  NoAnswer,
  type ReadTools,
  seconds,
  type Tagged,
  type Unchanged,
} from 'bootcut/plugin';
import {proxies} from './surroundings.js';
import {isRepository, thingOf, thingsOf} from './things.js';
import {isVersionText, versionNotice} from './version-notice.js';

/** The tag of the latest release; null: the repository has none. */
type Release = {readonly tag: string | null};

/** Has the repository a later release than the user has? */
export const release = check<Release>({
  name: 'release',
  items: (launch) => thingsOf(launch, 'github').map(({name}) => name),
  key: (launch) => [launch.item, apiOf(launch), hashed(tokenOf(launch)), proxies(launch)],
  // Releases come days apart, and without a token GitHub answers 60 questions an hour for a whole office.
  freshFor: hours(12),
  keepFor: days(7),
  limit: seconds(10),
  private: false,
  read: readRelease,
  asks: (launch) => [apiOf(launch)],
  parse: parseRelease,
  notice: ({tag}, launch) =>
    versionNotice({
      thing: thingOf(launch, 'github'),
      kind: 'release',
      newest: tag,
      advice: (name) => `See https://github.com/${name}/releases/latest. Continuing with yours.`,
    }),
});

async function readRelease(launch: Launch, tools: ReadTools): Promise<Release | Tagged<Release> | Unchanged> {
  const {item = ''} = launch;
  if (!isRepository(item)) throw new NoAnswer('malformed', 'not the owner/name of a repository', {retryAfter: days(7)});
  const token = tokenOf(launch);
  try {
    return await latest(launch, tools, token);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (error.reason === 'not-found') return {tag: null};
    // A token that has run out hides what anybody may read.
    if (error.reason === 'refused' && token !== undefined) return await latest(launch, tools, undefined);
    throw error;
  }
}

const latest = async (launch: Launch, tools: ReadTools, token: string | undefined) => {
  const {signal, etag, previous} = tools;
  const octokit = await githubClient(launch, {baseUrl: apiOf(launch), signal, ...(token !== undefined && {token})});
  const [owner = '', repo = ''] = (launch.item ?? '').split('/');
  const isConditional = etag !== undefined && previous !== undefined;
  try {
    const {data, headers} = await octokit.repos.getLatestRelease({
      owner,
      repo,
      ...(isConditional && {headers: {'if-none-match': etag}}),
    });
    const value = parseRelease({tag: data.tag_name});
    return headers.etag === undefined ? value : {value, etag: headers.etag};
  } catch (error) {
    if (isConditional && error instanceof Error && 'status' in error && error.status === 304)
      return {unchanged: true} as const;
    throw error;
  }
};

const publicApi = 'https://api.github.com';

const apiOf = ({settings: {githubApi}}: Launch): string =>
  typeof githubApi === 'string' && /^https?:\/\//.test(githubApi) && URL.canParse(githubApi)
    ? githubApi.replace(/\/+$/, '')
    : publicApi;

/** These two are for github.com alone; the ones for other hosts (GH_ENTERPRISE_TOKEN) do not say for which. */
const tokenOf = (launch: Launch): string | undefined => {
  const {GH_TOKEN: first = '', GITHUB_TOKEN: second = ''} = launch.env;
  const token = first === '' ? second : first;
  return token === '' || apiOf(launch) !== publicApi ? undefined : token;
};

function parseRelease(stored: unknown): Release {
  const tag = typeof stored === 'object' && stored !== null && 'tag' in stored ? stored.tag : undefined;
  if (tag === null || isVersionText(tag)) return {tag};
  throw new NoAnswer('malformed', 'the answer names no release');
}
