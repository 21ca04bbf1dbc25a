import {describe, it} from 'vitest';
import {indexOf, wantedSteps} from '../../../src/launch/plugin-index.js';
import type {HostedPlugin} from '../../../src/launch/plugin-set.js';
import type {CallHost} from '../../../src/steps/call-host.js';
import type {PluginInfo, RuntimeInfo, StepInfo} from '../../../src/steps/messages.js';

const runtime = (name: string, uses: readonly string[]): RuntimeInfo =>
  ({plugin: 'vm', name, uses, verbs: [name]}) as unknown as RuntimeInfo;

const step = (plugin: string, name: string, kind: StepInfo['kind']): StepInfo =>
  ({plugin, name, kind}) as unknown as StepInfo;

const host = (): CallHost => ({}) as unknown as CallHost;

const plugin = (of: CallHost, info: Partial<PluginInfo> & {readonly name: string}): HostedPlugin => ({
  host: of,
  info: {steps: [], runtimes: [], ...info},
  bundled: true,
});

const boot = runtime('boot', ['names/user']);
const own = host();
const other = host();
const plugins = [
  plugin(own, {name: 'vm', runtimes: [boot]}),
  plugin(own, {name: 'names', steps: [step('names', 'user', 'lookup'), step('names', 'group', 'lookup')]}),
  plugin(other, {name: 'news', steps: [step('news', 'release', 'check')], fault: 'it threw'}),
];
const nothing = {with: [], without: []};

const named = (choice: {readonly with: readonly string[]; readonly without: readonly string[]}): readonly string[] =>
  wantedSteps(plugins, boot, choice).flatMap(({infos}) => infos.map(({name}) => name));

describe('The index of a set of plugins', () => {
  it('is made once for a list, and anew for another list', ({expect}) => {
    expect(indexOf(plugins)).toBe(indexOf(plugins));
    expect(indexOf([...plugins])).not.toBe(indexOf(plugins));
  });

  it('names each host once, and each plugin that did not load', ({expect}) => {
    expect(indexOf(plugins).hosts).toEqual([own, other]);
    expect(indexOf(plugins).faults).toEqual(['plugin news: it threw']);
  });
});

describe('The steps of a launch', () => {
  it('are those that its runtime uses, and the checks, by their hosts', ({expect}) => {
    expect(wantedSteps(plugins, boot, nothing).map((one) => one.host)).toEqual([own, other]);
    expect(named(nothing)).toEqual(['user', 'release']);
  });

  it('are worked out once for each runtime', ({expect}) => {
    const bare = runtime('bare', []);
    expect(wantedSteps(plugins, boot, nothing)).toBe(wantedSteps(plugins, boot, nothing));
    expect(wantedSteps(plugins, bare, nothing).flatMap(({infos}) => infos.map(({name}) => name))).toEqual(['release']);
  });

  it('follow what the user chooses in one launch, before and after launches without a choice', ({expect}) => {
    expect(named({with: ['names/group'], without: ['news']})).toEqual(['user', 'group']);
    expect(named(nothing)).toEqual(['user', 'release']);
    expect(named({with: [], without: ['names']})).toEqual(['release']);
  });
});
