import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {PluginSet} from '../../../src/launch/plugin-set.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

interface Scene extends AsyncDisposable {
  readonly plugins: PluginSet;
  /** Writes a plugin of one step into a directory of its own, and returns where. */
  readonly write: (name: string, code?: string) => Promise<string>;
  /** Notes plugins as `plugins link` does. */
  readonly link: (...roots: readonly string[]) => Promise<void>;
}

const scene = async (): Promise<Scene> => {
  const data = await temporaryDirectory('plugins');
  const plugins = new PluginSet(data, () => undefined, []);
  return {
    plugins,
    write: async (name, code = `export default {name: '${name}', steps: []};`) => {
      const root = await temporaryDirectory(name);
      await writeFile(
        join(root, 'package.json'),
        JSON.stringify({name, version: '1.0.0', type: 'module', bootcut: 'index.js'}),
      );
      await writeFile(join(root, 'index.js'), code);
      return root;
    },
    link: async (...roots) => {
      const linked = roots.map((root, index) => ({name: `plugin-${index}`, type: 'link', root}));
      await writeFile(join(data, 'package.json'), JSON.stringify({oclif: {plugins: linked}}));
    },
    [Symbol.asyncDispose]: async () => await plugins.close(),
  };
};

const namesOf = async ({plugins}: Scene): Promise<readonly string[]> =>
  (await plugins.all()).map(({info}) => info.fault ?? info.name);

describe('The set of plugins', () => {
  it('is the same list for as long as nothing changes', async ({expect}) => {
    await using it = await scene();
    await it.link(await it.write('one'));
    const first = await it.plugins.all();
    expect(await it.plugins.all()).toBe(first);
  });

  it('is another list once a plugin has been linked, rebuilt or taken away', async ({expect}) => {
    await using it = await scene();
    const [one, two] = [await it.write('one'), await it.write('two')];
    await it.link(one);
    expect(await namesOf(it)).toEqual(['one']);
    await it.link(one, two);
    expect(await namesOf(it)).toEqual(['one', 'two']);
    await writeFile(join(two, 'index.js'), "export default {name: 'rebuilt', steps: []};");
    expect(await namesOf(it)).toEqual(['one', 'rebuilt']);
    await it.link();
    expect(await namesOf(it)).toEqual([]);
  });

  it('has a plugin that hung at its import tried again', async ({expect}) => {
    await using it = await scene();
    await it.link(
      await it.write('slow', 'await new Promise((resolve) => setTimeout(resolve, 3500)); export default 1;'),
    );
    const first = await it.plugins.all();
    expect(first.map(({info}) => info.fault)).toEqual(['it took longer than its limit']);
    expect(await it.plugins.all()).not.toBe(first);
  });
});
