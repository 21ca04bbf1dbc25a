import {statSync} from 'node:fs';
import type {Mount} from './flags.js';
import type {HostRoot} from './host-root.js';
import type {SharedDirectory} from './machine.js';
import {hasMountsBelow} from './mount-points.js';
import type {Project} from './project.js';

/** A host directory and where the guest has it. */
export interface Share extends SharedDirectory {
  readonly guest: string;
}

/** Everything of the host that a guest sees. */
export interface GuestDirectories {
  /** Parents before what is mounted inside of them. */
  readonly shares: readonly Share[];
  /** Places in the guest where something of the host is; PATH is cut to them. */
  readonly visible: readonly string[];
  /** Where the command starts; undefined: in its home. */
  readonly cwd: string | undefined;
  readonly project: string | undefined;
}

interface Wanted {
  readonly cwd: string;
  /** The filtered copy of /etc. */
  readonly etc: string;
  readonly root: HostRoot;
  readonly project: Project;
  readonly mounts: readonly Mount[];
}

/** The directories to share, or in one line why the launch cannot be. */
export const guestDirectories = ({cwd, etc, root, project, mounts}: Wanted): GuestDirectories | string => {
  const missing = mounts.find(({host}) => statSync(host, {throwIfNoEntry: false})?.isDirectory() !== true);
  if (missing !== undefined) return `--mount: ${missing.host} is not a directory; only directories can be shared`;
  if (project.kind === 'none' && mounts.length === 0) {
    return `${project.why}, and is not shared with a VM\nGo to a project's directory, or name what the VM may see: --mount DIR`;
  }
  const own: readonly Omit<Share, 'tag'>[] = [
    ...(project.kind === 'project' ? [project.path, ...project.gitDirectories] : []).map(
      (path) => ({path, guest: path, access: 'rw'}) as const,
    ),
    ...mounts.map(({host, guest, access}) => ({path: host, guest, access})),
  ];
  const tagged = own.map((share, index) => ({...share, tag: `dir${index}`}));
  const system = root.directories.map(
    (name): Share => ({
      ...{tag: name, path: `/${name}`, guest: `/${name}`, access: 'ro'},
      isOneDisk: !hasMountsBelow(`/${name}`),
    }),
  );
  // A copy of ours. A project is for its owner to mount things in at any time.
  const copy: Share = {tag: 'etc', path: etc, guest: '/etc', access: 'ro', isOneDisk: true};
  const shares = [...system, copy, ...tagged];
  const visible = [...root.directories, ...root.links.map(([name]) => name)].map((name) => `/${name}`);
  return {
    shares: [...shares].sort((one, other) => depthOf(one.guest) - depthOf(other.guest)),
    visible: [...visible, ...own.map(({guest}) => guest)],
    cwd: own.some(({guest}) => cwd === guest || cwd.startsWith(`${guest}/`)) ? cwd : undefined,
    project: project.kind === 'project' ? project.path : undefined,
  };
};

/** A stable sort by this puts parents first and keeps the order of what was asked for. */
const depthOf = (path: string): number => path.split('/').filter((name) => name !== '').length;
