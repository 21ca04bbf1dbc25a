import {accessSync, existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {capture} from './children.mjs';
import {LaunchError, rustQuoted, say} from './output.mjs';
import {stateRoot} from './state.mjs';

/** Mark of the patched msb: an upstream one of the same name is refused. */
const PATCHED = '+agent-vm';

/** Finds msb, checks it by running `msb --version`, and moves its state below the state root. */
export async function pointAtMsb({directory, witness}) {
  const msb = findMsb(directory);
  const result = isExecutable(msb) ? await capture(witness, [msb, '--version']) : null;
  if (result === null) throw new LaunchError(`executing ${msb} --version`, 'Permission denied (os error 13)');
  const stdout = result.stdout.toString().trim();
  if (result.status !== 0) throw new LaunchError(`${msb} --version exited exit status: ${result.status}: ${stdout}`);
  if (!stdout.includes(PATCHED)) {
    throw new LaunchError(
      `${msb} is the upstream microsandbox binary (no '${PATCHED}' marker in --version: ${rustQuoted(stdout)})`,
    );
  }
  process.env.MSB_PATH = msb;
  process.env.MSB_HOME = join(stateRoot(), 'msb-home');
  mkdirSync(process.env.MSB_HOME, {recursive: true});
}

function findMsb(directory) {
  const explicit = process.env.MSB_PATH;
  if (explicit !== undefined && existsSync(explicit)) return explicit;
  const sibling = join(directory, 'msb');
  if (existsSync(sibling)) {
    if (explicit !== undefined) say(`warning: MSB_PATH=${explicit} does not exist; using ${sibling}`);
    return sibling;
  }
  if (explicit !== undefined) throw new LaunchError(`MSB_PATH=${explicit} is set but the file does not exist`);
  throw new LaunchError('agent-vm could not find its bundled `msb` binary.');
}

function isExecutable(path) {
  try {
    accessSync(path, 1);
    return true;
  } catch {
    return false;
  }
}
