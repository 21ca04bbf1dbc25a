import {mkdirSync, readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {fileIdentity, hashed, type Launch} from 'bootcut/plugin';
import {cacheDirectory} from './directories.js';
import type {HotFile} from './hot-files.js';
import {type Machine, machineArguments} from './machine.js';

/** Templates that stay: each is a saved VM of 50 to 130 MB on disk. The ones not touched for longest go first. */
const templatesKept = 4;

/** What a saved VM has of the host besides its machine. */
export interface Kept {
  /** `UID:GID:NAME:HOME`: whose home is made in it. */
  readonly user: string;
  /** The copy of /etc, which is in it; the path names its content. */
  readonly etc: string;
  /** Copies of programs and libraries. */
  readonly hot: readonly HotFile[];
}

/**
 * Where the saved VM for machines of this shape is, or will be: `bootcut-vm keep` makes it where there is none. It holds
 * no launch's data and no share is mounted in it, so that of the devices only kind and number count, not which directories
 * they show; and it is another one where something that it has of the host has changed.
 */
export const templateDirectory = (launch: Pick<Launch, 'env'>, qemu: string, machine: Machine, kept: Kept): string => {
  const shape = machineArguments({
    ...machine,
    shares: machine.shares.map(({access}, at) => ({tag: `s${at}`, path: '', access})),
  });
  const tags = machine.shares.map(({tag}) => tag);
  const parts = [shape, tags, fileIdentity(qemu), fileIdentity(machine.initrd), kept];
  const name = (hashed(JSON.stringify(parts)) ?? '').slice(0, 24);
  const templates = join(cacheDirectory(launch.env), 'templates');
  const directory = join(templates, name);
  if (statSync(directory, {throwIfNoEntry: false}) === undefined) {
    mkdirSync(templates, {recursive: true, mode: 0o700});
    dropOldest(templates);
  }
  return directory;
};

const dropOldest = (templates: string): void => {
  const byAge = readdirSync(templates)
    .map((name) => ({path: join(templates, name), at: statSync(join(templates, name)).mtimeMs}))
    .sort((one, other) => other.at - one.at);
  // A VM that runs from one keeps the files it has open.
  for (const {path} of byAge.slice(templatesKept - 1)) rmSync(path, {recursive: true, force: true});
};
