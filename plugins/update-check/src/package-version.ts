import {join} from 'node:path';
import {check, days, hashed, hours, type Launch, NoAnswer, type ReadTools, run, seconds} from 'bootcut/plugin';
import {npmFailure} from './npm-failure.js';
import {hashedVariables, proxies, readSmallFile} from './surroundings.js';
import {isPackage, thingOf, thingsOf} from './things.js';
import {isVersionText, versionNotice} from './version-notice.js';

/** Has the npm registry a later version of the package than the user has? */
export const packageVersion = check<string>({
  name: 'package',
  items: (launch) => thingsOf(launch, 'npm').map(({name}) => name),
  key: (launch) => [launch.item, proxies(launch), npmVariables(launch), hashed(userConfig(launch))],
  freshFor: hours(12),
  keepFor: days(7),
  // A cold npm takes 2–3 s to start on a small machine, and it runs with low priority.
  limit: seconds(20),
  private: false,
  read: readVersion,
  parse: parseVersion,
  notice: (version, launch) =>
    versionNotice({
      thing: thingOf(launch, 'npm'),
      kind: 'version',
      newest: version,
      advice: (name) => `Run \`npm install ${name}@latest\` to get it. Continuing with yours.`,
    }),
});

/** Through npm itself: only it knows the user's registry, login and proxy. */
async function readVersion(launch: Launch, {signal}: ReadTools): Promise<string> {
  const {item = ''} = launch;
  if (!isPackage(item)) throw new NoAnswer('malformed', 'not the name of an npm package', {retryAfter: days(7)});
  const {code, stdout} = await run(launch, ['npm', 'view', '--json', '--', item, 'version'], {
    signal,
    limit: seconds(20),
    // Somewhere without a package.json and .npmrc: the answer must not depend on the directory of the launch.
    cwd: '/',
    env: quiet,
    nice: 10,
  });
  if (code !== 0) throw npmFailure(stdout, item);
  return parseVersion(parsed(stdout));
}

/** No second update check, no log files, no retries. */
const quiet = {
  npm_config_update_notifier: 'false',
  npm_config_logs_max: '0',
  npm_config_fetch_retries: '0',
  npm_config_loglevel: 'silent',
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function parseVersion(stored: unknown): string {
  if (isVersionText(stored)) return stored;
  throw new NoAnswer('malformed', 'npm named no version');
}

/** Those that decide which registry is asked and how; npm reads them in either case. */
const relevant = /^npm_config_(?:.*registry|https?_proxy|proxy|noproxy|cafile|ca|userconfig|globalconfig)$/i;

const npmVariables = ({env}: Launch): string | null =>
  hashedVariables(
    env,
    Object.keys(env)
      .filter((name) => relevant.test(name))
      .sort(),
  );

const userConfig = ({env}: Launch): string | undefined => {
  const {npm_config_userconfig: lower = '', NPM_CONFIG_USERCONFIG: upper = '', HOME: home = ''} = env;
  const path = [lower, upper, home === '' ? '' : join(home, '.npmrc')].find((one) => one !== '');
  return path === undefined ? undefined : readSmallFile(path);
};
