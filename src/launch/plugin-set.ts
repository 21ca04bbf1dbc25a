import {join, resolve} from 'node:path';
import {ms} from '../model/units.js';
import type {CallHost} from '../steps/call-host.js';
import {PluginHost} from '../steps/host.js';
import type {PluginSource} from '../steps/load.js';
import type {PluginInfo, RuntimeInfo, StepInfo} from '../steps/messages.js';
import {OwnHost} from '../steps/own-host.js';
import {safeFileIdentity} from '../system/file-identity.js';
import {installationRoot} from '../system/installation.js';
import type {Log} from '../system/log-file.js';
import {readPlainFile} from '../system/soft-reads.js';

/** A plugin together with what runs its code. */
export interface HostedPlugin {
  readonly host: CallHost;
  readonly info: PluginInfo;
  /** Came with bootcut: its steps run where a runtime uses them or the user asks, those of other plugins everywhere. */
  readonly bundled: boolean;
}

/** How long a plugin of somebody else's may take to load: as long as a step may take that names no limit. */
const strangersLoadLimit = ms(3000);

const bundledNames = [
  'process',
  'agent-vm',
  'qemu',
  'recipes',
  'git-identity',
  'github-repos',
  'gh-token',
  'update-check',
  'jvm-archive',
  'warm-pages',
  'preconnect',
  'node-compile-cache',
  'python-bytecode',
];

const bundledSources = (): readonly PluginSource[] =>
  bundledNames.map((name) => ({name, entry: join(installationRoot, 'plugins', name, 'dist', 'index.js')}));

/**
 * All plugins: the bundled ones share one host, every other has a thread of its own, so that a stranger's fault stays with
 * the stranger. Changes on disk (a plugin linked, removed or rebuilt) are seen at the next launch.
 */
export class PluginSet {
  readonly #dataDirectory: string;
  readonly #log: Log;
  readonly #bundled: OwnHost;
  #others: readonly {readonly host: CallHost; readonly identity: string}[] = [];
  #listIdentity = '';
  readonly #infos = new Map<CallHost, Promise<readonly PluginInfo[]>>();
  /** The list as it was found last; the same object for as long as nothing changes. */
  #known: readonly HostedPlugin[] | undefined;

  constructor(dataDirectory: string, log: Log, sources: readonly PluginSource[] = bundledSources()) {
    this.#dataDirectory = dataDirectory;
    this.#log = log;
    this.#bundled = new OwnHost(sources, log);
  }

  /** Every plugin as of now; loads what is not loaded yet. The same list again for as long as nothing has changed. */
  async all(): Promise<readonly HostedPlugin[]> {
    this.#look();
    if (this.#known !== undefined) return this.#known;
    const others = this.#others;
    const hosts = [this.#bundled, ...others.map(({host}) => host)];
    const described = await Promise.all(hosts.map(async (host) => ({host, infos: await this.#describe(host)})));
    const all = described.flatMap(({host, infos}) =>
      infos.map((info) => ({host, info, bundled: host === this.#bundled})),
    );
    // One that did not load is tried again by the next launch; and while we waited, the list may have become another.
    if (this.#others === others && hosts.every((host) => this.#infos.has(host))) this.#known = all;
    return all;
  }

  /** Has the thread that asks for the bundled plugins started, so that no launch has to wait for it. */
  async warmUp(): Promise<void> {
    await this.#bundled.warmUp();
  }

  async close(): Promise<void> {
    await Promise.all([this.#bundled.close(), ...this.#others.map(({host}) => host.close())]);
  }

  #look(): void {
    const list = join(this.#dataDirectory, 'package.json');
    const identity = safeFileIdentity(list);
    if (identity !== this.#listIdentity) {
      this.#listIdentity = identity;
      this.#replaceOthers(installedSources(this.#dataDirectory));
    } else if (this.#others.some(({host, identity: old}) => sourceIdentity(host.sources) !== old)) {
      this.#replaceOthers(this.#others.flatMap(({host}) => host.sources));
    }
  }

  #replaceOthers(sources: readonly PluginSource[]): void {
    const old = this.#others;
    this.#known = undefined;
    this.#others = sources.map((source) => {
      const identity = sourceIdentity([source]);
      const kept = old.find((other) => other.identity === identity && other.host.sources[0]?.entry === source.entry);
      return kept ?? {host: new PluginHost([source], this.#log), identity};
    });
    for (const other of old) {
      if (this.#others.includes(other)) continue;
      this.#infos.delete(other.host);
      void other.host.close();
    }
  }

  #describe(host: CallHost): Promise<readonly PluginInfo[]> {
    const known = this.#infos.get(host);
    if (known !== undefined) return known;
    // Bundled plugins are large and must load; another's must not hold a launch by looping at import.
    const limit = host === this.#bundled ? {} : {limit: strangersLoadLimit};
    const described = host.call('describe', {}, limit).then((result) => {
      if (result.ok) return result.value;
      this.#infos.delete(host);
      return host.sources.map(({name}) => ({name, steps: [], runtimes: [], fault: result.fault.detail}));
    });
    this.#infos.set(host, described);
    return described;
  }
}

export const findRuntime = (
  plugins: readonly HostedPlugin[],
  wanted: {readonly name?: string | undefined; readonly verb: string},
): {readonly plugin: HostedPlugin; readonly runtime: RuntimeInfo} | undefined => {
  for (const plugin of plugins) {
    const runtime = plugin.info.runtimes.find(({name, verbs, hasVariants}) =>
      wanted.name === undefined ? verbs.includes(wanted.verb) : name === wanted.name && !hasVariants,
    );
    if (runtime !== undefined) return {plugin, runtime};
  }
  return undefined;
};

/** Does this step run in a launch of this runtime, as far as names go? */
export const isWanted = (
  plugin: HostedPlugin,
  step: StepInfo,
  runtime: RuntimeInfo,
  options: {readonly with: readonly string[]; readonly without: readonly string[]},
): boolean => {
  const names = [step.plugin, `${step.plugin}/${step.name}`];
  if (names.some((name) => options.without.includes(name))) return false;
  if (names.some((name) => options.with.includes(name))) return true;
  return !plugin.bundled || step.kind === 'check' || runtime.uses.includes(`${step.plugin}/${step.name}`);
};

const sourceIdentity = (sources: readonly PluginSource[]): string =>
  sources.map(({entry}) => `${entry}:${safeFileIdentity(entry)}`).join('\n');

/** Plugins that oclif's `plugins install` and `plugins link` noted, as far as they have a `bootcut` entry. */
const installedSources = (dataDirectory: string): readonly PluginSource[] => {
  const manifest = readJson(join(dataDirectory, 'package.json'));
  const listed = field(field(manifest, 'oclif'), 'plugins');
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((item: unknown) => {
    const name = typeof item === 'string' ? item : field(item, 'name');
    if (typeof name !== 'string') return [];
    const linked = field(item, 'root');
    const root = typeof linked === 'string' ? linked : join(dataDirectory, 'node_modules', name);
    const entry = field(readJson(join(root, 'package.json')), 'bootcut');
    return typeof entry === 'string' ? [{name, entry: resolve(root, entry)}] : [];
  });
};

/** A package's manifest is a few KiB; a pipe or a disk's worth of zeros in its place must not hold a launch. */
const manifestLimit = 16 * 1024 * 1024;

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readPlainFile(path, manifestLimit) ?? '');
  } catch {
    return undefined;
  }
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
