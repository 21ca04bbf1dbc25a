import {existsSync, lstatSync} from 'node:fs';
import {dirname, isAbsolute, join} from 'node:path';
import {findExecutable, hashed, type Json, type Launch, type PlanEdit} from 'bootcut/plugin';
import {ghConfigDirectory, hasTokenVariable} from './gh-account.js';
import {answerName, ghShimScript, type ShimContext} from './gh-shim-script.js';
import {githubUser} from './identity.js';

/** Directories that are bootcut's own: `bootcut/shims/<digest>`. */
const ownLevels = 3;

/**
 * A `gh` in front of PATH that spares agent-vm before v0.1.20 its `gh api user`. No shim where it could be wrong or
 * would change what the target sees: without an answer or a real gh, with a token variable, or without a directory that
 * is ours alone.
 */
export const ghShimEdits = (launch: Launch, answers: Readonly<Record<string, Json>>): readonly PlanEdit[] => {
  const user = githubUser(answers['git-identity/github']);
  const configDirectory = ghConfigDirectory(launch);
  const shims = shimsDirectory(launch.env);
  if (user === undefined || configDirectory === undefined || shims === undefined) return [];
  if (hasTokenVariable(launch) || findExecutable(launch, 'gh') === undefined || !hasPath(launch)) return [];
  const answer = JSON.stringify({login: user.login, id: user.id, name: user.name, email: user.email});
  const facts = {
    host: launch.env['GH_HOST'] ?? '',
    configDirectory,
    hadHosts: existsSync(`${configDirectory}/hosts.yml`),
  };
  const directory = join(shims, hashed(JSON.stringify([answer, facts])) ?? 'gh');
  return isOursAlone(directory, ownLevels) ? edits({...facts, directory}, answer) : [];
};

const edits = (context: ShimContext, answer: string): readonly PlanEdit[] => [
  // The answer is written each time: its date is what hosts.yml is compared with.
  {kind: 'write-file', path: join(context.directory, answerName), text: `${answer}\n`, mode: 0o600},
  {kind: 'write-file', path: join(context.directory, 'gh'), text: ghShimScript(context), mode: 0o700},
  {kind: 'prepend-path', name: 'PATH', value: context.directory},
];

/** `bootcut/shims` in the user's cache directory; undefined when no variable names a usable one. */
const shimsDirectory = (env: Readonly<Record<string, string>>): string | undefined => {
  const own = env['BOOTCUT_CACHE_DIR'] ?? '';
  const xdg = env['XDG_CACHE_HOME'] ?? '';
  const home = env['HOME'] ?? '';
  const cache = isAbsolute(own) ? own : isAbsolute(xdg) ? join(xdg, 'bootcut') : join(home, '.cache', 'bootcut');
  // A colon would end the entry in PATH.
  return isAbsolute(cache) && !cache.includes(':') ? join(cache, 'shims') : undefined;
};

/** With PATH unset or empty the system's default list applies, and an entry in front would end that. */
const hasPath = ({env}: Launch): boolean => (env['PATH'] ?? '') !== '';

/**
 * Whoever can write to a directory on PATH can run what they like as us. What does not exist yet will be made private,
 * so the nearest that does exist must be ours as well: root makes nothing in another user's home.
 */
const isOursAlone = (directory: string, depth: number): boolean => {
  try {
    const stat = lstatSync(directory, {throwIfNoEntry: false});
    if (stat === undefined) return isOursAlone(dirname(directory), depth - 1);
    // Above our own directories a group of the user's may write, as in a home with umask 002.
    const foreignBits = depth > 0 ? 0o022 : 0o002;
    const isOurs = stat.isDirectory() && stat.uid === process.geteuid?.() && (stat.mode & foreignBits) === 0;
    return isOurs && (depth <= 1 || isOursAlone(dirname(directory), depth - 1));
  } catch {
    return false;
  }
};
