import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {closeSync, existsSync, mkdirSync, openSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {capture} from './children.mjs';
import {say} from './output.mjs';
import {writeAtomically} from './state.mjs';

/** What the guest sees instead of a token; the real one stays in `<hash>.secrets`. */
const PLACEHOLDER = 'msb-stand-in-placeholder';

/**
 * Step 9: under the project's refresh lock, default files of the agents, host credentials, and `gh auth token` (without
 * time limit) when there are repositories or the verb needs it.
 */
export async function refreshCredentials(context, session, {guestPath, needsGh}) {
  const lock = await lockFile(join(session.state, '.refresh.lock'));
  try {
    mkdirSync(session.secrets, {recursive: true, mode: 0o700});
    writeDefaults(session, guestPath);
    if (context.features.openCodeKeys && ['opencode', 'shell'].includes(context.verb)) announceOpenCodeKeys(session);
    copySecret(session, 'anthropic', hostFile('claude'), (json) => json.claudeAiOauth?.accessToken);
    copySecret(session, 'openai', hostFile('codex'), (json) => json.tokens?.access_token ?? json.OPENAI_API_KEY);
    const hasGh = needsGh && (await refreshGh(context.witness, session));
    if (context.verb === 'copilot' && hasGh) {
      writeAtomically(join(session.secrets, 'copilot'), readFileSync(join(session.secrets, 'gh')), 0o600);
    }
    return {hasGh, snapshot: snapshotHostFiles()};
  } finally {
    closeSync(lock);
  }
}

/**
 * Takes flock(2) on a descriptor of ours through the `flock` tool: the lock belongs to the open file, so it outlives the
 * tool and ends with our descriptor. Waits without limit, as upstream.
 */
async function lockFile(path) {
  const descriptor = openSync(path, 'a', 0o644);
  if (!existsSync('/usr/bin/flock')) return descriptor;
  const child = spawn('/usr/bin/flock', ['-x', '3'], {stdio: ['ignore', 'ignore', 'ignore', descriptor]});
  await new Promise((resolve) => {
    child.on('close', resolve);
    child.on('error', resolve);
  });
  return descriptor;
}

function writeDefaults(session, guestPath) {
  const root = join(session.state, 'claude.json');
  const claude = readJson(root) ?? {};
  const servers = {...claude.mcpServers, 'chrome-devtools': {command: '/usr/local/bin/agent-vm-chrome-mcp'}};
  if (process.env.AGENT_VM_NO_CHROME_MCP !== undefined) delete servers['chrome-devtools'];
  const projects = {...claude.projects, [guestPath]: {...claude.projects?.[guestPath], hasTrustDialogAccepted: true}};
  writeAtomically(
    root,
    JSON.stringify({...claude, hasCompletedOnboarding: true, projects, mcpServers: servers}),
    0o644,
  );
  const settings = join(session.state, 'claude', 'settings.json');
  writeAtomically(settings, JSON.stringify({...readJson(settings), hasCompletedOnboarding: true}), 0o644);
  const openCode = join(session.state, 'opencode-config', 'opencode.json');
  writeAtomically(openCode, JSON.stringify({autoupdate: false, ...readJson(openCode)}), 0o644);
  const history = join(session.state, 'bash_history');
  if (!existsSync(history)) writeAtomically(history, '', 0o600);
}

const HOST_FILES = {
  claude: '.claude/.credentials.json',
  codex: '.codex/auth.json',
  opencode: '.local/share/opencode/auth.json',
};

const hostFile = (name) => (process.env.HOME === undefined ? null : join(process.env.HOME, HOST_FILES[name]));

function copySecret(session, name, path, pick) {
  const token = pick(readJson(path) ?? {});
  if (typeof token === 'string') writeAtomically(join(session.secrets, name), token, 0o600);
}

function announceOpenCodeKeys(session) {
  const entries = Object.entries(readJson(hostFile('opencode')) ?? {}).filter(([, entry]) => entry?.type === 'api');
  for (const [id, {key}] of entries) writeAtomically(join(session.secrets, `opencode-${id}`), String(key), 0o600);
  if (entries.length > 0) say(`==> OpenCode API keys: ${entries.map(([id]) => id).join(', ')}`);
}

async function refreshGh(witness, session) {
  const result = await capture(witness, ['gh', 'auth', 'token']);
  const token = result?.status === 0 ? result.stdout.toString().trim() : '';
  if (token === '') return false;
  writeAtomically(join(session.secrets, 'gh'), token, 0o600);
  return true;
}

/** Step 12. The gitconfig is always written; the rest only with a token of gh. */
export function writeGuestConfig(session, identity, hasGh) {
  const user = identity === null ? '' : `[user]\n\tname = ${identity.name}\n\temail = ${identity.email}\n`;
  const answer = `test \\"$1\\" = get && echo username=x-access-token && echo password=${PLACEHOLDER}`;
  const credential = hasGh ? `[credential "https://github.com"]\n\thelper = "!f() { ${answer}; }; f"\n` : '';
  writeAtomically(join(session.state, 'gitconfig'), `[safe]\n\tdirectory = *\n${user}${credential}`, 0o600);
  if (!hasGh) return;
  const hosts = `github.com:\n  user: ${identity?.login ?? 'agent-vm'}\n  oauth_token: ${PLACEHOLDER}\n  git_protocol: https\n`;
  writeAtomically(join(session.state, 'gh-config', 'hosts.yml'), hosts, 0o600);
}

function snapshotHostFiles() {
  const hashes = Object.keys(HOST_FILES).map((name) => [name, hashOf(hostFile(name))]);
  return Object.fromEntries(hashes.filter(([, hash]) => hash !== null));
}

/** The last thing a launch says: which host credential files changed while it ran. */
export function announceChangedCredentials(snapshot) {
  const changed = Object.keys(snapshot).filter((name) => hashOf(hostFile(name)) !== snapshot[name]);
  if (changed.length === 0) return;
  say(
    `==> host credential file(s) changed during sandbox: ${changed.join(', ')} ` +
      "(expected only on Phase 4 OAuth refresh; investigate if you didn't trigger one)",
  );
}

function hashOf(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
