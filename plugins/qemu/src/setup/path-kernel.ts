import {createHash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {packedNote} from './debian-kernel.js';
import {readKernelImage} from './kernel-image.js';
import type {KernelSource} from './kernels.js';
import {findModules} from './modules.js';
import {Trouble} from './trouble.js';

/** A kernel of the user's. Modules come from the host's own directory of that release where there is one. */
export const pathKernel = (path: string): KernelSource => {
  const bytes = ((): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new Trouble(`the kernel ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
  })();
  return {
    kind: 'path',
    title: path,
    key: [createHash('sha256').update(bytes).digest('hex')],
    make: async () => {
      const {image, release, packedFor} = await readKernelImage(bytes, path);
      const directory = join('/lib/modules', release);
      const modules = existsSync(directory) ? await findModules(directory) : [];
      const notes = [
        ...(packedFor === undefined ? [] : [packedNote(packedFor)]),
        ...(modules.length > 0
          ? []
          : [`There are no modules in ${directory}: the kernel must have everything built in.`]),
      ];
      return {image, release, modules, ...(notes.length === 0 ? {} : {note: notes.join('\n')})};
    },
  };
};
