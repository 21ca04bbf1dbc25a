import {chmod, mkdir, readFile, realpath, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {temporaryDirectory} from './temporary-directory.js';

/** Releases whose behaviour differs before boot: see `stand-in/features.mjs`. Any other `0.1.N` is derived from them. */
export type AgentVmVersion = `0.1.${number}`;

/** Milliseconds the stand-in spends in each part of a launch that has no real work behind it. */
export type AgentVmLatencies = {
  readonly session?: number;
  readonly create?: number;
  readonly apiCheck?: number;
  /** Prelude inside the guest, before the command starts. */
  readonly run?: number;
  /** More prelude in releases up to v0.1.18, unless AGENT_VM_NO_CHROME_MCP is set. */
  readonly certutil?: number;
  readonly stop?: number;
  readonly remove?: number;
};

/**
 * The published launch profile's own figures. With `documentNetwork` in front they add up to about 4,080 ms for a launch
 * that waits for both look-ups, 3,170 ms with only `gh api user`, 1,900 ms with neither (published: 4,100, 3,280, 1,900).
 */
export const documentLatencies = {
  session: 0.3,
  create: 1497,
  apiCheck: 15,
  run: 310,
  stop: 48.9,
  remove: 1.2,
} as const satisfies AgentVmLatencies;

/** Milliseconds the two look-ups of the published profile took, and `gh auth token`. */
export const documentNetwork = {ghApiUser: 1290, registry: 886, ghAuthToken: 40} as const;

export type AgentVmSettings = {
  readonly version: AgentVmVersion;
  readonly latencies?: AgentVmLatencies;
  /** What msb's own record says of the image (`sha256:…`); null: no image there yet. */
  readonly imageDigest?: string | null;
  /** File that gets one JSON line per run (`AgentVmRun`). */
  readonly witness?: string;
  /** Makes creating the sandbox fail with this cause. */
  readonly createError?: string;
  /** The supported one is 1. */
  readonly imageApiVersion?: number;
  /** Without a terminal: pass SIGINT on to the guest once (default), or die by it as the native one does. */
  readonly interrupt?: 'forward' | 'die';
};

export type AgentVmOptions = Partial<AgentVmSettings> & {
  /** Where to lay it out; a directory of its own under the system's temporary one otherwise. */
  readonly dir?: string;
  /** `bare`: the binary itself. `npm`: package with a JS dispatch shim and a platform package below it. */
  readonly layout?: 'bare' | 'npm';
  /** Executables of the guest by verb (`claude`, …): script text with its `#!` line. */
  readonly guestBin?: Readonly<Record<string, string>>;
  /** Output of `msb --version`; the native one must contain `+agent-vm`. */
  readonly msbVersion?: string;
};

/** One line of the witness file. Times are milliseconds since the stand-in's own start. */
export type AgentVmRun = {
  readonly version: string;
  readonly pid: number;
  readonly ppid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly umask: number;
  readonly isTTY: readonly [boolean, boolean, boolean];
  readonly timings: Readonly<Record<string, number>>;
  /** argv of each host program it started (msb, git, gh), in order of start. */
  readonly calls: readonly (readonly string[])[];
  readonly guest: {
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
  } | null;
  readonly status?: number;
  readonly signal?: string;
};

export type AgentVm = AsyncDisposable & {
  /** What a user has on PATH: the binary, or the shim of the npm layout. */
  readonly path: string;
  /** Directory to put on PATH; holds `agent-vm`. */
  readonly dir: string;
  /** Real path of the binary: the same as `path` in the bare layout. */
  readonly binary: string;
  /** Everything it has seen, oldest first. */
  readonly runs: () => Promise<readonly AgentVmRun[]>;
  /** Changes the settings for later runs. */
  readonly change: (settings: Partial<AgentVmSettings>) => Promise<void>;
};

const STAND_IN = fileURLToPath(new URL('stand-in/agent-vm.mjs', import.meta.url));

/** Lays out a stand-in of the native agent-vm. Its directory is removed at dispose, unless `dir` named it. */
export async function makeAgentVm(options: AgentVmOptions = {}): Promise<AgentVm> {
  const {dir, layout = 'bare', guestBin = {}, msbVersion = 'msb 0.4.6+agent-vm.phase4', ...given} = options;
  const root = await realpath(dir ?? (await temporaryDirectory('agent-vm')));
  const platform = `linux-${process.arch}`;
  const bin = layout === 'bare' ? root : join(root, 'node_modules/@wirenboard', `agent-vm-${platform}`, 'bin');
  let settings: AgentVmSettings = {
    version: '0.1.28',
    imageDigest: null,
    witness: join(root, 'witness.jsonl'),
    ...given,
  };
  const save = () => writeFile(join(bin, 'stand-in.json'), JSON.stringify(settings));

  await mkdir(join(bin, 'guest-bin'), {recursive: true});
  await save();
  const binary = join(bin, 'agent-vm');
  await writeScript(binary, `#!${process.execPath}\nimport(${JSON.stringify(pathToFileURL(STAND_IN).href)});\n`);
  await writeScript(join(bin, 'msb'), `#!/bin/sh\necho '${msbVersion}'\n`);
  for (const [name, text] of Object.entries(guestBin)) await writeScript(join(bin, 'guest-bin', name), text);
  const shimDirectory = layout === 'npm' ? await layOutPackage(root, bin, settings.version) : root;

  return {
    path: join(shimDirectory, 'agent-vm'),
    dir: shimDirectory,
    binary,
    runs: () => readRuns(settings.witness),
    change: async (changed) => {
      settings = {...settings, ...changed};
      await save();
    },
    [Symbol.asyncDispose]: async () => {
      if (dir === undefined) await rm(root, {recursive: true, force: true});
    },
  };
}

/** The two packages of an npm install; returns the directory of the `agent-vm` link that npm puts on PATH. */
async function layOutPackage(root: string, bin: string, version: string): Promise<string> {
  const scope = '@wirenboard';
  const main = join(root, 'node_modules', scope, 'agent-vm');
  const platformName = `${scope}/agent-vm-linux-${process.arch}`;
  const links = join(root, 'node_modules/.bin');
  await mkdir(join(main, 'bin'), {recursive: true});
  await mkdir(links, {recursive: true});
  await writeFile(join(bin, '../package.json'), JSON.stringify({name: platformName, version, os: ['linux']}));
  const manifest = {name: `${scope}/agent-vm`, version, bin: {'agent-vm': 'bin/agent-vm.js'}};
  await writeFile(join(main, 'package.json'), JSON.stringify(manifest));
  await writeScript(join(main, 'bin/agent-vm.js'), dispatchShim(platformName));
  await symlink(`../${scope}/agent-vm/bin/agent-vm.js`, join(links, 'agent-vm'));
  return links;
}

/** Behaves as the published shim: resolves the platform package, runs its binary, mirrors status or signal. */
const dispatchShim = (platformName: string): string => `#!/usr/bin/env node
'use strict';
const {spawnSync} = require('node:child_process');
const {existsSync} = require('node:fs');
const {dirname, join} = require('node:path');
const fail = (text) => {
  console.error('agent-vm: ' + text);
  process.exit(1);
};
let manifest;
try {
  manifest = require.resolve('${platformName}/package.json');
} catch {
  fail('optionalDependency ${platformName} did not install.');
}
const binary = join(dirname(manifest), 'bin', 'agent-vm');
if (!existsSync(binary)) fail('expected binary at ' + binary + ' but it is missing.');
const {error, signal, status} = spawnSync(binary, process.argv.slice(2), {stdio: 'inherit'});
if (error) fail('failed to exec ' + binary + ': ' + error.message);
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
`;

async function writeScript(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

async function readRuns(file: string | undefined): Promise<readonly AgentVmRun[]> {
  if (file === undefined) return [];
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(parseRun);
}

const parseRun = (line: string): AgentVmRun => JSON.parse(line) as AgentVmRun;
