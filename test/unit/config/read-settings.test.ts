import {execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {
  defaultSettings,
  parseDuration,
  parseSetting,
  readSettings,
  settingByName,
} from '../../../src/config/settings.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const defaults = defaultSettings().values;

describe('a configuration that is', () => {
  const broken: readonly (readonly [string, (path: string) => void, RegExp])[] = [
    ['empty', (path) => writeFileSync(path, ''), /not valid JSON/],
    ['one byte', (path) => writeFileSync(path, '{'), /not valid JSON/],
    ['cut at half', (path) => writeFileSync(path, '{"budget": "5s", "verb'), /not valid JSON/],
    ['zero bytes', (path) => writeFileSync(path, Buffer.alloc(100)), /not valid JSON/],
    ['no UTF-8', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe])), /not valid JSON/],
    ['[]', (path) => writeFileSync(path, '[]'), /JSON object/],
    ['null', (path) => writeFileSync(path, 'null'), /JSON object/],
    ['a text', (path) => writeFileSync(path, '"x"'), /JSON object/],
    ['a directory', (path) => mkdirSync(path), /not a file/],
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /not a file/],
    ['an endless device', (path) => symlinkSync('/dev/zero', path), /not a file/],
    ['100 MB', (path) => (writeFileSync(path, ''), truncateSync(path, 100 * 1024 * 1024)), /too large/],
    ['a link in a circle', (path) => symlinkSync(path, path), /ELOOP/],
  ];
  for (const [name, make, complaint] of broken) {
    it(`${name} gives the defaults and one complaint with its path, and is not touched`, async ({expect}) => {
      const directory = await temporaryDirectory('config');
      const path = join(directory, 'config.json');
      make(path);
      const text = name === 'empty' || complaint.source.includes('JSON') ? readFileSync(path) : undefined;
      const {values, complaints} = readSettings(directory);
      expect(values).toEqual(defaults);
      expect(complaints).toHaveLength(1);
      expect(complaints[0]).toMatch(complaint);
      expect(complaints[0]).toContain(path);
      expect(readdirSync(directory)).toEqual(['config.json']);
      if (text !== undefined) expect(readFileSync(path).equals(text)).toBe(true);
    });
  }

  it('that is no JSON still says which runtime was wanted, and takes no plugin’s own for it', async ({expect}) => {
    const runtimeOf = async (text: string): Promise<unknown> => {
      const directory = await temporaryDirectory('config');
      writeFileSync(join(directory, 'config.json'), text);
      return readSettings(directory).values.runtime;
    };
    expect(await runtimeOf('{"budget": "5s" "runtime": "qemu"}')).toBe('qemu');
    expect(await runtimeOf('{"plugins": {"a": {"runtime": "no"}}, "runtime" : "box",')).toBe('box');
    expect(await runtimeOf('{"plugins": {"a": {"runtime": "no"}}, ')).toBe('');
    expect(await runtimeOf('{"runtime": ["qemu"]}')).toBe('["qemu"]'); // which there is not: refused as well
    expect(await runtimeOf('{"runtime": null}')).toBe('');
    // Cut off it names none: then the launch is refused, which is better than the host.
    expect(await runtimeOf('{"runtime": "qe')).toBe('qe');
  });

  it('absent, or below a file, gives the defaults without a word, and nothing is made', async ({expect}) => {
    const directory = await temporaryDirectory('config');
    writeFileSync(join(directory, 'file'), '');
    for (const below of ['none', 'file']) expect(readSettings(join(directory, below))).toEqual(defaultSettings());
    expect(readdirSync(directory)).toEqual(['file']);
  });

  it('right in part keeps what is right, and names what is not', async ({expect}) => {
    const directory = await temporaryDirectory('config');
    const content = {
      budget: '9s',
      cache: 'perhaps',
      with: ['a', 5],
      notices: 'sometimes',
      verbose: 'yes',
      without: 'x, y',
      'daemon.idle': 90_000,
      colour: true,
      plugins: {good: {a: 1}, bad: 5},
    };
    writeFileSync(join(directory, 'config.json'), `\ufeff${JSON.stringify(content)}`);
    const {values, plugins, complaints} = readSettings(directory);
    expect(values).toEqual({...defaults, budget: '9s', verbose: true, without: ['x', 'y'], 'daemon.idle': '90000ms'});
    expect(plugins).toEqual({good: {a: 1}});
    expect(complaints.map((text) => text.slice(text.indexOf(': ') + 2))).toEqual([
      'cache must be true or false; the default applies',
      'with must be names separated by commas; the default applies',
      'notices must be auto, always or never; the default applies',
      'there is no setting colour',
      'plugins.bad must be an object; it is ignored',
    ]);
  });

  it('one with plugins of the wrong shape says so', async ({expect}) => {
    const directory = await temporaryDirectory('config');
    writeFileSync(join(directory, 'config.json'), '{"plugins": []}');
    expect(readSettings(directory)).toMatchObject({
      plugins: {},
      complaints: [expect.stringMatching(/plugins must be/)],
    });
  });
});

describe('a duration', () => {
  for (const [text, expected] of [
    ['250ms', 250],
    ['4s', 4000],
    ['1.5 m', 90_000],
    ['36h', 129_600_000],
    ['2d', 172_800_000],
    ['0', 0],
    [' 7 ', 7],
    ['', undefined],
    ['-1s', undefined],
    ['1w', undefined],
    ['4 s s', undefined],
    ['1e3', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
  ] as const) {
    it(`'${text}' is ${expected}`, ({expect}) => expect(parseDuration(text)).toBe(expected));
  }

  it('as a number that no text of ours can hold is none', ({expect}) => {
    const budget = settingByName('budget');
    if (budget === undefined) throw new Error('no setting budget');
    expect(parseSetting(budget, 5)).toBe('5ms');
    for (const value of [1e21, -1, Number.NaN, Number.POSITIVE_INFINITY, null, true, {}]) {
      expect(parseSetting(budget, value)).toBeUndefined();
    }
  });
});
