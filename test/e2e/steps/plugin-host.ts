import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {LaunchId} from '../../../src/model/units.js';
import {ms} from '../../../src/model/units.js';
import type {CallResult} from '../../../src/steps/call-host.js';
import type {PluginHost} from '../../../src/steps/host.js';
import type {SharedLaunch} from '../../../src/steps/messages.js';
import {importCompiled} from '../../rig/compiled.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const {PluginHost: Host} = await importCompiled<typeof import('../../../src/steps/host.js')>('steps/host');

export const launchId = 'launch-1' as LaunchId;

export const sharedLaunch = (directory: string): SharedLaunch => ({
  id: launchId,
  verb: 'run',
  runtime: 'process',
  argv: ['true'],
  env: {PATH: process.env['PATH'] ?? ''},
  cwd: directory,
  stdio: ['device', 'pipe', 'pipe'],
  options: {budget: ms(4000), noCache: false, noDaemon: false, with: [], without: [], verbose: false},
  updatables: [],
  pluginSettings: {},
});

export type HostedPlugin = AsyncDisposable & {
  readonly host: PluginHost;
  readonly directory: string;
  /** Events of the host's log. */
  readonly events: readonly string[];
  /** Reads the step `step` of the plugin, or another one. */
  readonly read: (limit?: number, step?: string) => Promise<CallResult<'read'>>;
};

/** The source of a plugin `name` with one lookup `step`, of which `read` and more may be given. */
export const pluginSource = (read: string, {name = 'odd', before = '', more = ''} = {}): string => `
  ${before}
  export default {
    name: '${name}',
    steps: [
      {
        kind: 'lookup', name: 'step', neededBy: 'run', freshFor: 1000, keepFor: 2000, limit: 200,
        key: (launch) => [launch.cwd], parse: (stored) => stored,
        read: ${read},
      },
      {
        kind: 'lookup', name: 'fine', neededBy: 'run', freshFor: 1000, keepFor: 2000,
        key: () => [], parse: (stored) => stored, read: async () => 'fine',
      },
    ],
    ${more}
  };
`;

/** A host with one plugin, written from its source into a directory of its own. */
export async function hostPlugin(source: string): Promise<HostedPlugin> {
  const directory = await temporaryDirectory('plugin');
  mkdirSync(join(directory, 'work'));
  const entry = join(directory, 'index.mjs');
  writeFileSync(entry, source);
  const events: string[] = [];
  const host = new Host([{name: 'odd-package', entry}], (event) => events.push(event));
  const launch = sharedLaunch(join(directory, 'work'));
  host.remember(launch);
  return {
    host,
    directory,
    events,
    read: async (limit = 200, step = 'step') => {
      const ref = {plugin: 'odd', name: step};
      return await host.call('read', {launch: launchId, ref, etag: undefined, previous: undefined}, {limit: ms(limit)});
    },
    [Symbol.asyncDispose]: async () => await host.close(),
  };
}

/** Enough for what must succeed, on a busy machine. */
export const ample = 20_000;
