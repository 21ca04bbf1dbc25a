import {createHash} from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {LaunchError} from './output.mjs';

export const DEFAULT_IMAGE = 'ghcr.io/wirenboard/agent-vm-template:latest';

/** Verbatim, so an empty AGENT_VM_STATE_DIR or XDG_STATE_HOME counts as set and gives a relative root. */
export function stateRoot(env = process.env) {
  if (env.AGENT_VM_STATE_DIR !== undefined) return env.AGENT_VM_STATE_DIR;
  if (env.XDG_STATE_HOME !== undefined) return join(env.XDG_STATE_HOME, 'agent-vm');
  if (env.HOME === undefined) throw new LaunchError('no $HOME set');
  return join(env.HOME, '.local/state/agent-vm');
}

const sha256 = (data) => createHash('sha256').update(data).digest('hex');

/** The project of the working directory: names and directories of this launch. */
export function projectSession() {
  const project = realpathSync(process.cwd());
  const hash = sha256(realpathSync(process.cwd(), {encoding: 'buffer'})).slice(0, 12);
  const state = join(stateRoot(), hash);
  return {project, hash, state, secrets: `${state}.secrets`, sandbox: `agent-vm-${hash}-${process.pid}`};
}

export function makeStateDirectories({state}, {copilot}) {
  const homes = ['claude', 'codex', 'opencode', ...(copilot ? ['copilot'] : [])];
  for (const name of homes) mkdirSync(join(state, name), {recursive: true});
}

const sandboxesDirectory = () => join(stateRoot(), 'msb-home', 'sandboxes');

export const sandboxDirectory = ({sandbox}) => join(sandboxesDirectory(), sandbox);

/** Removes sandboxes of this project whose launcher is gone. */
export function reapSandboxes({hash}) {
  const root = sandboxesDirectory();
  if (!existsSync(root)) return;
  const prefix = `agent-vm-${hash}-`;
  for (const name of readdirSync(root)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    if (!/^\d+$/.test(pid) || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(root, name), {recursive: true, force: true});
  }
}

/** Sibling temporary file and rename. The temporary name is fixed, as upstream's is, so writers can collide. */
export function writeAtomically(path, data, mode) {
  const dot = path.lastIndexOf('.');
  const stem = dot > path.lastIndexOf('/') + 1 ? path.slice(0, dot) : path;
  const temporary = `${stem}.agent-vm-tmp`;
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(temporary, data, {mode});
  renameSync(temporary, path);
}

const markerPath = (image) => join(stateRoot(), 'pulled-digests', sha256(image).slice(0, 16));

/** Digest of the last pull of this reference, or null. */
export function readMarker(image) {
  try {
    return readFileSync(markerPath(image), 'utf8').trim();
  } catch {
    return null;
  }
}

export const writeMarker = (image, digest) => writeAtomically(markerPath(image), digest, 0o644);

/** What msb's own database says of an image. Here: what `pull` wrote, else `imageDigest` of the settings. */
export function imageRecord(image, settings) {
  try {
    return readFileSync(recordPath(image), 'utf8');
  } catch {
    return settings.imageDigest ?? null;
  }
}

export const writeImageRecord = (image, digest) => writeAtomically(recordPath(image), digest, 0o644);

const recordPath = (image) => join(stateRoot(), 'msb-home', 'cache', `record-${sha256(image).slice(0, 16)}`);
