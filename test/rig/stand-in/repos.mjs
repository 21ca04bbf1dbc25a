import {lstatSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import {capture} from './children.mjs';
import {say} from './output.mjs';

/** Keeps a hostile repository from running anything through its own configuration. */
const SAFE_FLAGS = [
  'core.fsmonitor=',
  'core.fsmonitorHookVersion=',
  'core.pager=cat',
  'core.editor=:',
  'safe.directory=*',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);

const PREFIXES = ['https://github.com/', 'http://github.com/', 'git@github.com:', 'ssh://git@github.com/'];

/** The allow-list of one launch: detected repositories unless `--no-git`, then `--repo` values. Says what it found. */
export async function repoScope({options, witness}, project, mounts) {
  const repos = [];
  if (!options['no-git']) {
    for (const directory of scanned(project, mounts)) await scan(witness, directory, repos);
  } else if (options.repo.length > 0) {
    const count = options.repo.length;
    say(
      `==> --no-git skips cwd remote auto-detection, but --repo overrides are kept (${count} entr${count === 1 ? 'y' : 'ies'})`,
    );
  }
  for (const repo of options.repo) addOnce(repos, repo.trim());
  say(
    repos.length === 0
      ? '==> GitHub repo scope: <none> (no api.github.com access)'
      : `==> GitHub repo scope (${repos.length}): ${repos.join(', ')}`,
  );
  return repos;
}

const scanned = (project, mounts) => [
  project,
  ...mounts.map(({host}) => host).filter((host) => realpathSync(host) !== project),
];

async function scan(witness, directory, repos) {
  const remotes = await git(witness, ['-C', directory, 'remote', '-v']);
  for (const line of remotes) addSlug(repos, line.trim().split(/[ \t]+/)[1]);
  const modules = join(directory, '.gitmodules');
  if (lstatSync(modules, {throwIfNoEntry: false})?.isFile() !== true) return;
  const urls = await git(witness, ['config', '-f', modules, '--get-regexp', String.raw`^submodule\..*\.url$`]);
  for (const line of urls) addSlug(repos, line.slice(line.indexOf(' ') + 1).trim());
}

async function git(witness, args) {
  const env = {...process.env, GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_GLOBAL: '/dev/null'};
  const result = await capture(witness, ['git', ...SAFE_FLAGS, ...args], {env});
  return result?.status === 0 ? result.stdout.toString().split('\n').filter(Boolean) : [];
}

function addSlug(repos, url) {
  const slug = url === undefined ? null : githubSlug(url);
  if (slug !== null) addOnce(repos, slug);
}

function addOnce(repos, slug) {
  if (slug !== '' && !repos.some((known) => known.toLowerCase() === slug.toLowerCase())) repos.push(slug);
}

/** `owner/repo` of a GitHub URL in one of the accepted forms, else null. */
export function githubSlug(url) {
  const path = afterPrefix(url);
  if (path === null) return null;
  const [owner = '', last = ''] = path.split('/');
  const repo = last.endsWith('.git') ? last.slice(0, -4) : last;
  const refused = ['', '.', '..'];
  return refused.includes(owner) || refused.includes(repo) ? null : `${owner}/${repo}`;
}

function afterPrefix(url) {
  const prefix = PREFIXES.find((candidate) => url.startsWith(candidate));
  if (prefix !== undefined) return url.slice(prefix.length);
  return /^ssh:\/\/git@github\.com:\d+\/(.*)$/.exec(url)?.[1] ?? null;
}
