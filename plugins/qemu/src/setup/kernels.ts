import {createHash} from 'node:crypto';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {KernelKind} from '../guest-files.js';
import type {KernelModule} from './modules.js';

/** A kernel that setup can put in place. */
export interface KernelSource {
  readonly kind: KernelKind;
  /** How a person knows it. */
  readonly title: string;
  /** Everything that its content depends on. */
  readonly key: readonly string[];
  /** Gets or makes it; slow. */
  readonly make: () => Promise<MadeKernel>;
}

export interface MadeKernel {
  readonly image: Buffer;
  readonly release: string;
  /** In the order in which they must be loaded. */
  readonly modules: readonly KernelModule[];
  /** One line about something that is not as good as it could be. */
  readonly note?: string;
}

/** Raised when what is kept of a kernel changes. */
const edition = 1;

/** The name of a kernel's directory: equal sources have equal names. */
export const kernelName = ({kind, key}: Pick<KernelSource, 'kind' | 'key'>): string =>
  `${kind}-${createHash('sha256')
    .update(JSON.stringify([edition, kind, ...key]))
    .digest('hex')
    .slice(0, 16)}`;

/** On the disk before the directory gets its name. */
const durable = {flush: true, mode: 0o600};

/** Writes a made kernel as it is kept: the image, its modules, and what it is. */
export const writeKernel = (directory: string, kind: KernelKind, {image, release, modules}: MadeKernel): void => {
  writeFileSync(join(directory, 'vmlinux'), image, durable);
  mkdirSync(join(directory, 'modules'));
  for (const {name, content} of modules) writeFileSync(join(directory, 'modules', `${name}.ko`), content, durable);
  const noted = {kind, release, modules: modules.map(({name}) => name)};
  writeFileSync(join(directory, 'kernel.json'), `${JSON.stringify(noted, undefined, 2)}\n`, durable);
};
