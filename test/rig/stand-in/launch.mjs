import {appendFileSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {isatty} from 'node:tty';
import {announceChangedCredentials, refreshCredentials, writeGuestConfig} from './credentials.mjs';
import {guestCommand, runGuest} from './guest.mjs';
import {announceIdentity} from './identity.mjs';
import {announceNetwork, hasControl, parseMounts} from './launch-options.mjs';
import {LaunchError, rustDuration, say} from './output.mjs';
import {repoScope} from './repos.mjs';
import {DEFAULT_IMAGE, makeStateDirectories, projectSession, reapSandboxes, sandboxDirectory} from './state.mjs';
import {updateCheck} from './update-check.mjs';

/** The guest mounts these empty at boot, so a project below them cannot keep its path. */
const TMPFS_PREFIXES = ['/tmp', '/run', '/dev/shm', '/var/run'];

/** One launch in the order of agent-vm.md, "Pre-boot". Resolves to the exit status. */
export async function launch(context) {
  const session = projectSession();
  const credentials = await preBoot(context, session);
  try {
    return await inSandbox(context, session);
  } finally {
    announceChangedCredentials(credentials.snapshot);
  }
}

async function preBoot(context, session) {
  const {options, features, witness, verb, settings} = context;
  makeStateDirectories(session, features);
  reapSandboxes(session);
  await spend(settings, 'session');
  say(`==> ${session.sandbox} in ${session.project} (state: ${session.state})`);
  witness.reached('session');
  const image = imageOf(options);
  if (options.memory * 1024 > 4_294_967_295) throw new LaunchError('--memory in GiB overflows u32 MiB');
  const guestPath = announceGuestPath(session.project);
  const check = options['no-update-check'] ? Promise.resolve() : updateCheck(context, image);
  if (!features.updateCheckInBackground) await check;
  witness.reached('updateCheck');
  const mounts = parseMounts(options.mount);
  const repos = await repoScope(context, session.project, mounts);
  witness.reached('repos');
  const needsGh = repos.length > 0 || verb === 'copilot';
  const credentials = await refreshCredentials(context, session, {guestPath, needsGh});
  witness.reached('credentials');
  if (verb === 'copilot' && !credentials.hasGh) throw new LaunchError('no GitHub Copilot token found on the host.');
  const identity = await announceIdentity(context);
  witness.reached('identity');
  writeGuestConfig(session, identity, credentials.hasGh);
  announceNetwork(context, mounts);
  say(
    `==> Booting sandbox from ${image} (${options.memory * 1024} MiB, ${options.cpus} vCPU; ` +
      'first run pulls layers, otherwise ~3s)',
  );
  witness.reached('preBoot');
  return credentials;
}

export const imageOf = (options) => options.image ?? DEFAULT_IMAGE;

function announceGuestPath(project) {
  const isUnderTmpfs = TMPFS_PREFIXES.some((prefix) => project === prefix || project.startsWith(`${prefix}/`));
  const reason = isUnderTmpfs
    ? 'is under a tmpfs mount'
    : hasControl(project)
      ? "contains control characters that can't be carried into the guest"
      : null;
  if (reason !== null) say(`==> Project path ${project} ${reason}; mounting at /workspace instead`);
  return reason === null ? project : '/workspace';
}

async function inSandbox(context, session) {
  const {settings, features, witness, verb} = context;
  const profile = (name, start) => {
    witness.reached(name);
    if (process.env.AGENT_VM_PROFILE === undefined) return;
    say(`[profile] ${`${name}:`.padEnd(7)} ${rustDuration(performance.now() - start)}`);
  };
  const createStart = performance.now();
  await create(context, session);
  profile('create', createStart);
  await checkImageApi(settings);
  witness.reached('apiCheck');
  const runStart = performance.now();
  const command = guestCommand(verb);
  say(isatty(0) ? `==> Attaching to ${command}` : `==> Running ${command} in sandbox (no TTY; streaming output)`);
  await spend(settings, 'run');
  if (features.certutilPrelude && process.env.AGENT_VM_NO_CHROME_MCP === undefined) await spend(settings, 'certutil');
  const status = await runGuest(context, session);
  profile('run', runStart);
  say('==> Stopping sandbox');
  const stopStart = performance.now();
  await spend(settings, 'stop');
  profile('stop', stopStart);
  const removeStart = performance.now();
  await spend(settings, 'remove');
  rmSync(sandboxDirectory(session), {recursive: true, force: true});
  profile('remove', removeStart);
  return status;
}

/** Writes the runtime's log as the VM boots; the directory is gone when the launch ends, so readers follow it live. */
async function create(context, session) {
  const {settings, options} = context;
  if (process.env.AGENT_VM_DEBUG_CONFIG !== undefined) {
    const config = {
      name: session.sandbox,
      image: imageOf(options),
      cpus: options.cpus,
      memory_mib: options.memory * 1024,
    };
    say(`[debug] sandbox config JSON: ${JSON.stringify(config, null, 2)}`);
  }
  const logs = join(sandboxDirectory(session), 'logs');
  mkdirSync(logs, {recursive: true});
  const log = (message) => {
    const stamp = new Date().toISOString().replace('Z', '000Z');
    appendFileSync(join(logs, 'runtime.log'), `${stamp}  INFO microsandbox_runtime::vm: ${message}\n`);
  };
  log('entering VM');
  await spend(settings, 'create');
  if (settings.createError) {
    appendFileSync(join(logs, 'boot-error.json'), JSON.stringify({message: settings.createError}));
    throw new LaunchError('creating sandbox', settings.createError);
  }
  log('agent relay: received core.ready from agentd');
}

export async function checkImageApi(settings) {
  await spend(settings, 'apiCheck');
  const version = settings.imageApiVersion ?? 1;
  if (version === 1) return;
  const [age, advice] = version < 1 ? ['OLD', 'needs 1..=1'] : ['NEW', 'supports 1..=1'];
  const cause = `image-API version ${version} is too ${age} (this agent-vm ${advice}).`;
  throw new LaunchError('verifying image-API contract version', cause);
}

/** Spends the configured milliseconds of a phase; none given means no wait at all. */
export async function spend(settings, phase) {
  const milliseconds = settings.latencies?.[phase] ?? 0;
  if (milliseconds > 0) await wait(milliseconds);
}
