import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'vitest';
import {readName} from '../../../src/config/setting-name.js';
import {getSetting, withoutSecrets} from '../../../src/config/shown-settings.js';
import {setSetting, unsetSetting} from '../../../src/config/write-settings.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory('settings');
});
afterEach(async () => await rm(directory, {recursive: true, force: true}));

const path = (): string => join(directory, 'config.json');
const content = (): unknown => JSON.parse(readFileSync(path(), 'utf8'));

describe('a setting’s name', () => {
  it.for([
    ['plugins.agent-vm.path', {plugin: 'agent-vm', key: 'path'}],
    ['plugins.@scope/x.y.key', {plugin: '@scope/x.y', key: 'key'}],
  ] as const)('%s is a plugin’s', ([name, parts], {expect}) => {
    expect(readName(name)).toMatchObject({ok: true, value: {kind: 'plugin', ...parts}});
  });

  it.for([
    '',
    'plugins',
    'plugins.',
    'plugins.x',
    'plugins.x.',
    'plugins..x',
    'Budget',
    'cache.',
    '__proto__',
    'constructor',
  ])('%j is none', (name, {expect}) => {
    expect(readName(name)).toMatchObject({ok: false, failure: {reason: 'unknown-setting', name}});
  });
});

describe('writing a setting', () => {
  it.for(['', ' ', '{', '[]', 'null', '"text"', '7', '\0\0\0\0', '{"budget": "2s"', '\ufeff{}'])(
    'leaves a file alone that holds %j',
    (text, {expect}) => {
      writeFileSync(path(), text);
      for (const result of [setSetting(directory, 'budget', '3s'), unsetSetting(directory, 'budget')])
        expect(result).toMatchObject({ok: false, failure: {reason: 'bad-config-file', path: path()}});
      expect(readFileSync(path(), 'utf8')).toBe(text);
    },
  );

  it('leaves a directory in the file’s place alone', ({expect}) => {
    mkdirSync(join(path(), 'precious'), {recursive: true});
    expect(setSetting(directory, 'budget', '3s')).toMatchObject({ok: false, failure: {reason: 'bad-config-file'}});
  });

  it('takes names that JavaScript has a meaning for as plain names', ({expect}) => {
    for (const name of ['plugins.__proto__.polluted', 'plugins.x.__proto__', 'plugins.constructor.prototype'])
      expect(setSetting(directory, name, '"yes"')).toMatchObject({ok: true});
    expect(({} as {polluted?: unknown}).polluted).toBeUndefined();
    expect(Object.keys((content() as {plugins: object}).plugins).sort()).toEqual(['__proto__', 'constructor', 'x']);
    expect(getSetting(directory, {}, 'plugins.nobody.toString')).toMatchObject({
      ok: true,
      value: {value: null, origin: 'default'},
    });
  });

  it('says whether there was something to remove, and removes what has become empty', ({expect}) => {
    expect(unsetSetting(directory, 'plugins.x.a')).toEqual({ok: true, value: {removed: false}});
    setSetting(directory, 'plugins.x.a', '1');
    setSetting(directory, 'budget', '3s');
    expect(unsetSetting(directory, 'plugins.x.a')).toEqual({ok: true, value: {removed: true}});
    expect(content()).toEqual({budget: '3s'});
  });

  it('leaves no temporary file behind', async ({expect}) => {
    setSetting(directory, 'budget', '3s');
    const {readdir} = await import('node:fs/promises');
    expect(await readdir(directory)).toEqual(['config.json']);
  });
});

describe('a shown value', () => {
  it('has its secrets taken out, at any depth', ({expect}) => {
    expect(
      withoutSecrets({a: ['redis://u:p@h'], b: {c: 'token=ghp_0123456789abcdef'}, d: 'say "api_key=\\"x\\""', e: 7}),
    ).toEqual({
      a: ['redis://h'],
      b: {c: expect.not.stringContaining('0123456789') as string},
      d: expect.any(String) as string,
      e: 7,
    });
  });

  it('comes from the environment before the file, from an empty variable never', ({expect}) => {
    setSetting(directory, 'daemon', 'false');
    expect(getSetting(directory, {BOOTCUT_NO_DAEMON: '0'}, 'daemon')).toMatchObject({
      value: {value: true, origin: 'environment'},
    });
    expect(getSetting(directory, {BOOTCUT_NO_DAEMON: ''}, 'daemon')).toMatchObject({
      value: {value: false, origin: 'file'},
    });
  });
});
