import {describe, it} from 'vitest';
import {defaultSettings, type Settings} from '../../../src/config/settings.js';
import {type Weighed, weighOptions} from '../../../src/launch/options.js';
import type {Json} from '../../../src/model/json.js';

const configured = (values: Readonly<Record<string, Json>>): Settings => {
  const base = defaultSettings();
  return {...base, values: {...base.values, ...values}};
};

const weigh = (
  flags: Readonly<Record<string, readonly (string | true)[]>>,
  env: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, Json>> = {},
): Weighed => weighOptions(new Map(Object.entries(flags)), env, configured(values));

const look = (weighed: Weighed, name: string): unknown => {
  if (!weighed.ok) throw new Error(weighed.text);
  return name === 'notices' || name === 'phases'
    ? weighed[name]
    : weighed.options[name as keyof typeof weighed.options];
};

/** Option, flag, variable, setting; and for each origin what is written and what comes out. */
const table = [
  {
    option: 'runtime',
    otherwise: undefined,
    flag: ['runtime', ['process'], 'process'],
    variable: ['BOOTCUT_RUNTIME', 'qemu', 'qemu'],
    setting: ['runtime', 'agent-vm', 'agent-vm'],
  },
  {
    option: 'budget',
    otherwise: 4000,
    flag: ['budget', ['1s'], 1000],
    variable: ['BOOTCUT_BUDGET', '2s', 2000],
    setting: ['budget', '3s', 3000],
  },
  {
    option: 'noCache',
    otherwise: false,
    flag: ['no-cache', [true], true],
    variable: ['BOOTCUT_NO_CACHE', '1', true],
    setting: ['cache', false, true],
  },
  {
    option: 'noDaemon',
    otherwise: false,
    flag: ['no-daemon', [true], true],
    variable: ['BOOTCUT_NO_DAEMON', 'yes', true],
    setting: ['daemon', false, true],
  },
  {
    option: 'with',
    otherwise: [],
    flag: ['with', ['a,b', 'c'], ['a', 'b', 'c']],
    variable: ['BOOTCUT_WITH', 'd, e', ['d', 'e']],
    setting: ['with', ['f'], ['f']],
  },
  {
    option: 'without',
    otherwise: [],
    flag: ['without', ['a'], ['a']],
    variable: ['BOOTCUT_WITHOUT', 'b', ['b']],
    setting: ['without', ['c'], ['c']],
  },
  {
    option: 'verbose',
    otherwise: false,
    flag: ['verbose', [true], true],
    variable: ['BOOTCUT_VERBOSE', 'true', true],
    setting: ['verbose', true, true],
  },
  {
    option: 'notices',
    otherwise: 'auto',
    flag: undefined,
    variable: ['BOOTCUT_NOTICES', 'always', 'always'],
    setting: ['notices', 'never', 'never'],
  },
  {
    option: 'phases',
    otherwise: true,
    flag: undefined,
    variable: ['BOOTCUT_PHASES', 'off', false],
    setting: ['phases', false, false],
  },
] as const;

describe('an option comes from the flag, then the variable, then the setting, then the default', () => {
  for (const {option, otherwise, flag, variable, setting} of table) {
    it(option, ({expect}) => {
      const values = {[setting[0]]: setting[1] as Json};
      const env = {[variable[0]]: variable[1]};
      expect(look(weigh({}), option)).toEqual(otherwise);
      expect(look(weigh({}, {}, values), option)).toEqual(setting[2]);
      expect(look(weigh({}, env, values), option)).toEqual(variable[2]);
      if (flag !== undefined) expect(look(weigh({[flag[0]]: flag[1]}, env, values), option)).toEqual(flag[2]);
    });
  }

  it('a variable that says no beats a setting that says yes', ({expect}) => {
    expect(look(weigh({}, {BOOTCUT_NO_CACHE: '0'}, {cache: false}), 'noCache')).toBe(false);
    expect(look(weigh({}, {BOOTCUT_VERBOSE: 'no'}, {verbose: true}), 'verbose')).toBe(false);
  });

  it('an empty variable says nothing', ({expect}) => {
    expect(look(weigh({}, {BOOTCUT_NO_CACHE: ''}, {cache: false}), 'noCache')).toBe(true);
    expect(look(weigh({}, {BOOTCUT_BUDGET: ''}), 'budget')).toBe(4000);
  });

  it('the last of several flags of one value counts', ({expect}) => {
    expect(look(weigh({budget: ['1s', '2s']}), 'budget')).toBe(2000);
  });
});

describe('a bad value names where it was written and what is expected', () => {
  const cases: readonly (readonly [Weighed, string])[] = [
    [weigh({budget: ['soon']}), "--budget must be a duration such as 250ms, 4s or 36h, not 'soon'"],
    [weigh({budget: ['']}), "--budget must be a duration such as 250ms, 4s or 36h, not ''"],
  ];
  for (const [weighed, text] of cases) it(text, ({expect}) => expect(weighed).toEqual({ok: false, text}));

  const variables = [
    [weigh({}, {BOOTCUT_BUDGET: '-1'}), "BOOTCUT_BUDGET must be a duration such as 250ms, 4s or 36h, not '-1'"],
    [weigh({}, {BOOTCUT_NO_CACHE: 'banana'}), "BOOTCUT_NO_CACHE must be true or false, not 'banana'"],
    [weigh({}, {BOOTCUT_NOTICES: 'loud'}), "BOOTCUT_NOTICES must be auto, always or never, not 'loud'"],
  ] as const;
  for (const [weighed, text] of variables) {
    it(`${text}: and the launch goes on with the setting`, ({expect}) => {
      expect(weighed).toMatchObject({ok: true, complaints: [`${text}; the setting applies`]});
    });
  }

  it('is not looked at where a better origin has spoken', ({expect}) => {
    expect(look(weigh({budget: ['1s']}, {BOOTCUT_BUDGET: 'soon'}), 'budget')).toBe(1000);
  });
});

it('a runtime that is asked for by a flag without a name is a wrong command line, not the host', ({expect}) => {
  expect(weigh({runtime: ['']})).toEqual({ok: false, text: '--runtime needs the name of a runtime'});
  expect(look(weigh({}, {BOOTCUT_RUNTIME: ''}), 'runtime')).toBeUndefined();
});
