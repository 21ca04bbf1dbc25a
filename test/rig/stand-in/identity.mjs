import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {capture} from './children.mjs';
import {say} from './output.mjs';
import {stateRoot, writeAtomically} from './state.mjs';

const DAY = 24 * 60 * 60 * 1000;
/** Time limits of the native one, in milliseconds. */
const GH_LIMIT = 3000;
const GIT_LIMIT = 1000;

/** Resolves and announces the author: cache file (from v0.1.20), `gh api user`, then the global gitconfig. */
export async function announceIdentity({features, witness}) {
  const identity = await resolve(features, witness);
  if (identity === null) {
    say(
      '==> Git author identity: <none> (gh not logged in and no host gitconfig user.name/email; ' +
        'in-VM `git commit` will refuse until you set one)',
    );
  } else {
    const login = identity.login === null ? '' : ` (gh:${identity.login})`;
    say(`==> Git author identity: ${identity.name} <${identity.email}>${login}`);
  }
  return identity;
}

async function resolve(features, witness) {
  const cached = features.identityCache ? readCache() : null;
  if (cached !== null) return cached;
  const found = (await fromGh(witness)) ?? (await fromGitConfig(witness));
  if (found !== null && features.identityCache) writeCache(found);
  return found;
}

const cachePath = () => join(stateRoot(), 'cache', 'host-git-identity');

/** A file older than a day or from the future is a miss; so is one without a clean name and e-mail. */
function readCache() {
  try {
    const age = Date.now() - statSync(cachePath()).mtimeMs;
    if (age < 0 || age > DAY) return null;
    const [name = '', email = '', login = ''] = readFileSync(cachePath(), 'utf8').split('\n');
    if (!isClean(name) || !isClean(email)) return null;
    return {name, email, login: login === '' ? null : login};
  } catch {
    return null;
  }
}

function writeCache({name, email, login}) {
  try {
    writeAtomically(cachePath(), `${name}\n${email}\n${login ?? ''}\n`, 0o600);
  } catch {
    // A launch goes on without the cache.
  }
}

async function fromGh(witness) {
  const result = await capture(witness, ['gh', 'api', 'user'], {timeLimit: GH_LIMIT});
  return result?.status === 0 ? parseGhUser(result.stdout.toString()) : null;
}

export function parseGhUser(text) {
  const user = parseJson(text);
  const login = typeof user?.login === 'string' ? user.login.trim() : '';
  if (!/^[A-Za-z0-9-]{1,39}$/.test(login) || login.startsWith('-') || login.endsWith('-')) return null;
  const name = trimmed(user.name) ?? login;
  const email = trimmed(user.email) ?? noReply(user.id, login);
  return email !== null && isClean(name) && isClean(email) ? {name, email, login} : null;
}

const noReply = (id, login) => (Number.isInteger(id) && id >= 0 ? `${id}+${login}@users.noreply.github.com` : null);

const trimmed = (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

async function fromGitConfig(witness) {
  const name = await gitGlobal(witness, 'user.name');
  const email = name === null ? null : await gitGlobal(witness, 'user.email');
  if (name === null || email === null || !isClean(name) || !isClean(email)) return null;
  const isOwnPlaceholder = name === 'agent-vm' && email === 'agent-vm@msb.local';
  return isOwnPlaceholder ? null : {name, email, login: null};
}

async function gitGlobal(witness, key) {
  const result = await capture(witness, ['git', 'config', '--global', '--get', key], {timeLimit: GIT_LIMIT});
  return result?.status === 0 ? trimmed(result.stdout.toString()) : null;
}

/** Non-empty and without bytes that could end a value in a gitconfig. */
function isClean(text) {
  return text !== '' && ![...Buffer.from(text)].some((byte) => byte < 0x20 || byte === 0x7f);
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
