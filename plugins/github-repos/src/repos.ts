import type {Launch, ReadTools} from 'bootcut/plugin';
import {remoteAddresses, repositoryOnly, submoduleAddresses} from './ask-git.js';
import {hasControl} from './control.js';
import {directoriesOf} from './directories.js';
import {githubSlug} from './github-slug.js';
import {includedFiles} from './included-files.js';
import {repoArguments} from './launch-arguments.js';
import {parseRemote, type Remote, type Repo} from './remote-address.js';
import {sshHost} from './ssh-alias.js';
import type {Repos} from './stored-repos.js';

/** Finds the repositories that belong to a launch: of its directory, of mounted ones, and those its flags name. */
export const readRepos = async (launch: Launch, tools: ReadTools): Promise<Repos> => {
  const found = await tools.span('git', () =>
    Promise.all(directoriesOf(launch).map((directory) => addressesOf(launch, directory, tools))),
  );
  const named = repoArguments(launch).repos.map((repo) => repo.trim());
  const slugs = found.flatMap(({detected}) => detected.flatMap((address) => githubSlug(address) ?? []));
  const allowList = [...slugs, ...named.filter((repo) => repo !== '' && !hasControl(repo))];
  const addresses = [...found.flatMap(({all}) => all), ...named.map((repo) => `https://github.com/${repo}`)];
  const remotes = addresses.flatMap((address) => parseRemote(address) ?? []);
  const repos = await withRealHosts(launch, remotes, tools);
  return {
    repos: unique(repos, ({host, owner, repo}) => `${host}/${owner}/${repo}`),
    allowList: unique(allowList, (slug) => slug),
  };
};

interface Addresses {
  /** As agent-vm sees them: by the repository's own configuration alone. */
  readonly detected: readonly string[];
  /** As git would use them: with `insteadOf` of the user's configuration too. */
  readonly all: readonly string[];
}

const addressesOf = async (launch: Launch, directory: string, tools: ReadTools): Promise<Addresses> => {
  // Files first, addresses afterwards: an edit in between is then seen as a change and not lost.
  for (const file of await includedFiles(launch, directory, tools)) tools.dependsOn(file);
  const {signal} = tools;
  const [own, used, submodules] = await Promise.all([
    remoteAddresses(launch, directory, {env: repositoryOnly, signal}),
    remoteAddresses(launch, directory, {signal}),
    submoduleAddresses(launch, directory, signal),
  ]);
  return {detected: [...own, ...submodules], all: [...used, ...submodules]};
};

/** Most SSH hosts of one launch that are looked up; a repository can list any number, each a process. */
const hostLimit = 8;

const withRealHosts = async (
  launch: Launch,
  remotes: readonly Remote[],
  tools: ReadTools,
): Promise<readonly Repo[]> => {
  const isOpen = ({host, isSsh}: Remote): boolean => isSsh && host !== 'github.com';
  const hosts = [...new Set(remotes.filter(isOpen).map(({host}) => host))].slice(0, hostLimit);
  const real =
    hosts.length === 0 ? new Map<string, string>() : await tools.span('ssh', () => realHosts(launch, hosts, tools));
  return remotes.flatMap((remote) => {
    const {owner, repo} = remote;
    const host = isOpen(remote) ? real.get(remote.host) : remote.host;
    return host === undefined ? [] : [{host, owner, repo}];
  });
};

const realHosts = async (
  launch: Launch,
  hosts: readonly string[],
  tools: ReadTools,
): Promise<ReadonlyMap<string, string | undefined>> =>
  new Map(await Promise.all(hosts.map(async (host) => [host, await sshHost(launch, host, tools)] as const)));

/** Each once, whatever the case of its letters; the first spelling stays. */
const unique = <T>(items: readonly T[], name: (item: T) => string): readonly T[] => {
  const known = new Map<string, T>();
  for (const item of items) {
    const key = name(item).toLowerCase();
    if (!known.has(key)) known.set(key, item);
  }
  return [...known.values()];
};
