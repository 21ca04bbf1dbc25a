import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {checkImageApi, imageOf, spend} from './launch.mjs';
import {LaunchError, printOut, writeAll} from './output.mjs';
import {makeStateDirectories, projectSession, writeAtomically, writeImageRecord, writeMarker} from './state.mjs';
import {remoteDigest} from './update-check.mjs';

export async function pull(context) {
  const image = imageOf(context.options);
  await pullImage(context, image);
  printOut(`==> ${image} pulled into the microsandbox cache\n`);
  return 0;
}

export async function setup(context) {
  const image = imageOf(context.options);
  printOut(`==> Pulling ${image} into the microsandbox cache\n`);
  await pullImage(context, image);
  if (!context.options['no-verify']) await verify(context, image);
  printOut(`==> ${image} ready\n`);
  return 0;
}

/**
 * The pull itself always understood a bearer challenge. The marker comes from the update check's own probe, so a release
 * whose check gives up at 401 writes none.
 */
async function pullImage(context, image) {
  const {settings, features} = context;
  await spend(settings, 'create');
  const pulled = await remoteDigest(image, {bearerHandshake: true}, {plainHttp: isPlainHttp(image)}).catch(() => null);
  if (pulled === null) throw new LaunchError('pulling image', `no manifest for ${image}`);
  writeImageRecord(image, pulled);
  const probed = await remoteDigest(image, features).catch(() => null);
  if (probed !== null) writeMarker(image, probed);
}

function isPlainHttp(image) {
  if (/^(1|true|yes|on|TRUE|YES|ON)$/.test(process.env.AGENT_VM_INSECURE_REGISTRY ?? '')) return true;
  const host = image.split('/')[0].split(':')[0];
  return ['localhost', '127.0.0.1', '0.0.0.0'].includes(host) || /\.(local|localhost)$/.test(host);
}

async function verify({settings}, image) {
  printOut(`==> Verifying ${image}\n`);
  printOut('==> Booting throwaway sandbox (this is the first VM cold-start; ~3s on a warm host)\n');
  await spend(settings, 'create');
  printOut('==> Checking image-API contract version\n');
  await checkImageApi(settings);
  printOut('==> Checking in-VM agent versions\n');
  for (const agent of ['claude', 'opencode', 'codex']) printOut(`    0.0.0 (stand-in ${agent})\n`);
  printOut('==> Stopping verify sandbox\n');
  await spend(settings, 'stop');
}

/** Needs no msb and asks nobody: a file of the project's state. `-s` has no system clipboard to reach here. */
export async function clipboard({operation, value}) {
  const session = projectSession();
  makeStateDirectories(session, {copilot: false});
  const path = join(session.state, 'clipboard.txt');
  if (operation === 'get') writeAll(1, readIfThere(path));
  else writeAtomically(path, value ?? readFileSync(0), 0o600);
  return 0;
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
