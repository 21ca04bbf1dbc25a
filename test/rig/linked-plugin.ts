import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {LaunchRig} from './launch-rig.js';

/**
 * Writes a plugin outside the repository and notes it where oclif's `plugins link` notes it. `code` is the entry module.
 * Linking again replaces the code.
 */
export const linkPlugin = async (rig: LaunchRig, name: string, code: string): Promise<string> => {
  const root = join(rig.root, 'plugins', name);
  await mkdir(root, {recursive: true});
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({name, version: '1.0.0', type: 'module', bootcut: './index.js'}),
  );
  await writeFile(join(root, 'index.js'), code);
  const data = join(rig.home, '.local', 'share', 'bootcut');
  await mkdir(data, {recursive: true});
  const path = join(data, 'package.json');
  const listed = await readFile(path, 'utf8').then(
    (text) => (JSON.parse(text) as {oclif: {plugins: {name: string}[]}}).oclif.plugins,
    () => [],
  );
  const others = listed.filter((plugin) => plugin.name !== name);
  await writeFile(path, JSON.stringify({oclif: {plugins: [...others, {name, root, type: 'link'}]}}));
  return root;
};

/** A plugin with one lookup; `read` is the source of an async function of (launch, tools). */
export const lookupPlugin = (name: string, read: string, more = ''): string => `
import {definePlugin, lookup, ms} from 'bootcut/plugin';
import {appendFileSync, existsSync, readFileSync} from 'node:fs';
export default definePlugin({
  name: '${name}',
  steps: [
    lookup({
      name: 'answer',
      neededBy: 'boot',
      freshFor: ms(3_600_000),
      keepFor: ms(7_200_000),
      limit: ms(3000),
      key: (launch) => [launch.cwd],
      read: ${read},
      parse: (value) => { if (typeof value !== 'string') throw new Error('not a text'); return value; },
      apply: (value) => [{kind: 'set-env', name: '${name.toUpperCase().replaceAll('-', '_')}', value}],
      ${more}
    }),
  ],
});
`;
