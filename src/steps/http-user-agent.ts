import {createRequire} from 'node:module';

/** `bootcut/<version>`. The package's own name finds its package.json from src and from dist. */
export const userAgent = (): string => {
  const {version} = createRequire(import.meta.url)('bootcut/package.json') as {version: string};
  return `bootcut/${version}`;
};
