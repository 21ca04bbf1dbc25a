import type {Json} from '../model/json.js';

/** Every setting there is: the one list from which checks, help, `config list` and environment variables come. */
export interface Setting {
  readonly name: string;
  readonly kind: 'switch' | 'duration' | 'size' | 'count' | 'text' | 'list';
  readonly default: Json;
  readonly description: string;
  /** Flag of the launch verbs with the same meaning, without dashes; a `no-` flag turns a switch off. */
  readonly flag?: string;
  readonly variable?: string;
  /** A list whose items may hold commas: each flag is one item. */
  readonly whole?: true;
}

export const settings = [
  {
    name: 'runtime',
    kind: 'text',
    default: '',
    description: 'runtime for the launch verbs; empty: the verb decides',
    flag: 'runtime',
    variable: 'BOOTCUT_RUNTIME',
  },
  {
    name: 'budget',
    kind: 'duration',
    default: '4s',
    description: 'longest time a launch waits for optional answers',
    flag: 'budget',
    variable: 'BOOTCUT_BUDGET',
  },
  {
    name: 'cache',
    kind: 'switch',
    default: true,
    description: 'use stored answers',
    flag: 'no-cache',
    variable: 'BOOTCUT_NO_CACHE',
  },
  {
    name: 'daemon',
    kind: 'switch',
    default: true,
    description: 'use the daemon, and start it at the first launch',
    flag: 'no-daemon',
    variable: 'BOOTCUT_NO_DAEMON',
  },
  {
    name: 'with',
    kind: 'list',
    default: [],
    description: 'plugins or steps to run although the runtime does not use them',
    flag: 'with',
    variable: 'BOOTCUT_WITH',
  },
  {
    name: 'without',
    kind: 'list',
    default: [],
    description: 'plugins or steps to leave out',
    flag: 'without',
    variable: 'BOOTCUT_WITHOUT',
  },
  {
    name: 'until',
    kind: 'list',
    whole: true,
    default: [],
    description: 'conditions that make a launch ready, such as port:8080; see bench --help',
    flag: 'until',
  },
  {
    name: 'until.limit',
    kind: 'duration',
    default: '60s',
    description: 'after this long without being ready, say so; the target goes on',
    flag: 'until-limit',
  },
  {
    name: 'verbose',
    kind: 'switch',
    default: false,
    description: 'say on stderr what a launch waited for and was spared',
    flag: 'verbose',
    variable: 'BOOTCUT_VERBOSE',
  },
  {
    name: 'notices',
    kind: 'text',
    default: 'auto',
    description: 'print notices: auto (when stderr is a terminal), always, never',
    variable: 'BOOTCUT_NOTICES',
  },
  {
    name: 'phases',
    kind: 'switch',
    default: true,
    description: "read the target's stderr lines to split a launch into phases",
    variable: 'BOOTCUT_PHASES',
  },
  {
    name: 'optimizations',
    kind: 'switch',
    default: true,
    description: 'make launches of programs faster by what is prepared for them: see savings --help',
    flag: 'no-optimizations',
    variable: 'BOOTCUT_NO_OPTIMIZATIONS',
  },
  {
    name: 'holdback',
    kind: 'count',
    default: 20,
    description: 'one launch in this many goes without an optimization, so that its saving stays measured; 0: none',
    variable: 'BOOTCUT_HOLDBACK',
  },
  {
    name: 'expect',
    kind: 'switch',
    default: true,
    description: 'warm up ahead of launches of programs that are expected, where their optimizations can',
  },
  {
    name: 'daemon.idle',
    kind: 'duration',
    default: '36h',
    description: 'the daemon leaves after this long without a launch',
  },
  {
    name: 'standby',
    kind: 'switch',
    default: true,
    description: 'keep a VM booted for projects that are likely to be launched next, where the runtime can',
  },
  {
    name: 'standby.memory',
    kind: 'size',
    default: '512M',
    description: 'memory that all standbys together may hold',
  },
  {
    name: 'standby.keep',
    kind: 'duration',
    default: '30m',
    description: 'a standby that no launch has taken for this long is dropped',
  },
  {
    name: 'cache.store',
    kind: 'text',
    default: '',
    description: 'a Keyv store for answers that are not private, such as redis://host:6379',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]['name'];
