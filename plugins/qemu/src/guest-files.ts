import {existsSync, readFileSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import {isRecord} from './is-record.js';

/** What setup has made for this user, and of what. */
export interface GuestFiles {
  /** The directory that holds it; another content has another name. */
  readonly directory: string;
  readonly kernel: string;
  readonly initrd: string;
  readonly kind: KernelKind;
  /** The kernel's release, such as `6.1.0-57-amd64`. */
  readonly release: string;
  /** Digest of the agent in the initramfs: another build of bootcut has another one. */
  readonly agent: string;
}

export const kernelKinds = ['debian', 'small', 'packed', 'path'] as const;
export type KernelKind = (typeof kernelKinds)[number];

/** Raised when `guest.json` or what the agent expects of an initramfs changes. */
export const guestEdition = 1;

/** The link that names the guest in use; setup puts another in its place in one step. */
export const currentName = 'current';

/** The prepared guest, or undefined when there is none or it is not whole. */
export const findGuestFiles = (data: string): GuestFiles | undefined => {
  try {
    const directory = realpathSync(join(data, currentName));
    const noted: unknown = JSON.parse(readFileSync(join(directory, 'guest.json'), 'utf8'));
    if (!isRecord(noted) || noted['edition'] !== guestEdition) return undefined;
    const {kernel, kind, release, agent} = noted;
    if (typeof kernel !== 'string' || typeof release !== 'string' || typeof agent !== 'string') return undefined;
    const known = kernelKinds.find((one) => one === kind);
    if (known === undefined) return undefined;
    const files = {kernel: join(data, 'kernels', kernel, 'vmlinux'), initrd: join(directory, 'initrd')};
    if (!Object.values(files).every((path) => existsSync(path))) return undefined;
    return {directory, ...files, kind: known, release, agent};
  } catch {
    return undefined; // nothing prepared, or somebody took it apart
  }
};
