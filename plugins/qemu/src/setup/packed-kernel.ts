import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {findKernelPackage} from '../programs.js';
import {readKernelImage} from './kernel-image.js';
import type {KernelSource} from './kernels.js';

/**
 * The small kernel as it comes with a release, in a package of its own (`scripts/pack-kernel.mjs`): what `small` makes, made
 * once for everybody. Undefined where that package is not installed.
 */
export const packedKernel = (): KernelSource | undefined => {
  const path = findKernelPackage();
  if (path === undefined) return undefined;
  const bytes = readFileSync(path);
  const {name, version} = JSON.parse(readFileSync(join(dirname(path), 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  return {
    kind: 'packed',
    title: `the small one of ${name} ${version}`,
    key: [createHash('sha256').update(bytes).digest('hex')],
    make: async () => {
      const {image, release} = await readKernelImage(bytes, path);
      return {image, release, modules: []};
    },
  };
};
