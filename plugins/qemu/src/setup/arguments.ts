import {resolve} from 'node:path';

/** What `bootcut setup --runtime qemu` was asked to do. */
export interface SetupArguments {
  /**
   * Which kernel: Debian's, one built here, the one of a release, or a file. Undefined: the user's own or the one that was
   * built here, where one of these is in use, else that of the release, else Debian's.
   */
  readonly kernel:
    | {readonly kind: 'debian' | 'small' | 'packed'}
    | {readonly kind: 'path'; readonly path: string}
    | undefined;
  /** Install missing packages without asking. */
  readonly yes: boolean;
  readonly json: boolean;
}

export type ParsedArguments =
  | {readonly kind: 'setup'; readonly wanted: SetupArguments}
  | {readonly kind: 'help'}
  | {readonly kind: 'usage'; readonly text: string};

export const helpText = `Prepares the guest of bootcut's own microVM: a kernel, and an initramfs with our agent.

USAGE
  bootcut setup --runtime qemu [--kernel packed|debian|small|PATH] [--yes] [--json]

FLAGS
  --kernel packed  the small kernel, built already, of the package bootcut-kernel-linux-x64 (the default
                   where npm has installed that package)
  --kernel debian  the distribution's kernel, from /boot or else from its package (the default elsewhere;
                   at a terminal you are asked whether the small one is to be built then)
  --kernel small   a kernel built on this machine from Debian's sources, about four minutes on two cores;
                   boots in about a third of the time
  --kernel PATH    a bzImage or vmlinux of yours, with 9p, overlayfs, virtio-mmio and virtio-console
  --yes            as root: install missing packages without asking
  --json           say at the end on stdout, as JSON, what was prepared

What has been prepared already is used again. An interruption at any point leaves the guest in use as it is.
`;

/** Reads the list that `bootcut setup` hands on; its first item is the verb. */
export const parseArguments = (argv: readonly string[], cwd: string): ParsedArguments => {
  let wanted: SetupArguments = {kernel: undefined, yes: false, json: false};
  for (let at = 1; at < argv.length; at += 1) {
    const token = argv[at] ?? '';
    if (token === '--help' || token === '-h') return {kind: 'help'};
    if (token === '--yes' || token === '-y') wanted = {...wanted, yes: true};
    else if (token === '--json') wanted = {...wanted, json: true};
    else if (token === '--kernel' || token.startsWith('--kernel=')) {
      const value = token === '--kernel' ? argv[(at += 1)] : token.slice('--kernel='.length);
      if (value === undefined || value === '')
        return {kind: 'usage', text: '--kernel needs a value: packed, debian, small or a path'};
      wanted = {...wanted, kernel: kernelOf(value, cwd)};
    } else
      return {kind: 'usage', text: `there is no flag or argument ${token}; see: bootcut setup --runtime qemu --help`};
  }
  return {kind: 'setup', wanted};
};

const kernelOf = (value: string, cwd: string): NonNullable<SetupArguments['kernel']> =>
  value === 'debian' || value === 'small' || value === 'packed'
    ? {kind: value}
    : {kind: 'path', path: resolve(cwd, value)};
