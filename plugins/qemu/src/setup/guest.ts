import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {currentName, findGuestFiles, type GuestFiles, guestEdition, type KernelKind} from '../guest-files.js';
import {isRecord} from '../is-record.js';
import {type CpioEntry, cpioArchive, directory, plainFile, program} from './cpio.js';
import {makeWhole, switchLink} from './places.js';
import {Trouble} from './trouble.js';

interface NotedKernel {
  readonly kind: KernelKind;
  readonly release: string;
  readonly modules: readonly string[];
}

/** Makes the guest of a kept kernel and an agent; not yet the one in use. Returns its directory. */
export const makeGuest = async (data: string, kernel: string, agent: Buffer): Promise<string> => {
  const noted = readKernel(join(data, 'kernels', kernel));
  const agentDigest = createHash('sha256').update(agent).digest('hex').slice(0, 16);
  const name = createHash('sha256')
    .update(JSON.stringify([guestEdition, kernel, agentDigest]))
    .digest('hex')
    .slice(0, 16);
  const place = join(data, 'guests', name);
  await makeWhole(place, async (making) => {
    writeFileSync(join(making, 'initrd'), initramfs(join(data, 'kernels', kernel, 'modules'), noted.modules, agent), {
      flush: true,
      mode: 0o600,
    });
    const {kind, release} = noted;
    const guest = {edition: guestEdition, kernel, kind, release, agent: agentDigest};
    writeFileSync(join(making, 'guest.json'), `${JSON.stringify(guest, undefined, 2)}\n`, {flush: true, mode: 0o600});
  });
  return place;
};

/** The agent as the first program, and the modules that it loads in the order of a list. */
const initramfs = (modules: string, names: readonly string[], agent: Buffer): Buffer => {
  const list: readonly CpioEntry[] =
    names.length === 0
      ? []
      : [
          {path: 'modules', mode: directory},
          ...names.map((name) => ({
            path: `modules/${name}.ko`,
            mode: plainFile,
            content: readFileSync(join(modules, `${name}.ko`)),
          })),
          {path: 'modules/order', mode: plainFile, content: Buffer.from(names.map((name) => `${name}\n`).join(''))},
        ];
  return cpioArchive([{path: 'init', mode: program, content: agent}, ...list]);
};

const readKernel = (path: string): NotedKernel => {
  const noted: unknown = JSON.parse(readFileSync(join(path, 'kernel.json'), 'utf8'));
  if (isRecord(noted) && typeof noted['release'] === 'string' && Array.isArray(noted['modules']))
    return noted as unknown as NotedKernel;
  throw new Trouble(`${path} is not a kernel that setup has made`, `Remove it: rm -r ${path}`);
};

/** Takes a guest into use, and removes those and the kernels that are not any more. A small kernel took minutes: it stays. */
export const useGuest = (data: string, place: string): GuestFiles => {
  switchLink(join(data, currentName), place);
  const files = findGuestFiles(data);
  if (files === undefined) throw new Error(`${place} has just been made and is not whole`);
  removeOthers(join(data, 'guests'), (name) => name === basename(place));
  const kernel = basename(dirname(files.kernel));
  removeOthers(join(data, 'kernels'), (name) => name === kernel || name.startsWith('small-'));
  return files;
};

const removeOthers = (parent: string, isKept: (name: string) => boolean): void => {
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) if (!isKept(name)) rmSync(join(parent, name), {recursive: true, force: true});
};
