import {cpus} from 'node:os';
import {resolve} from 'node:path';

/** A host directory that the user wants in the guest. */
export interface Mount {
  /** Absolute host path. */
  readonly host: string;
  /** Absolute path in the guest. */
  readonly guest: string;
  readonly access: 'ro' | 'rw';
}

/** What the flags of one launch say; undefined: nothing, so the setting decides. */
export interface GuestFlags {
  /** MiB. */
  readonly memory: number | undefined;
  readonly cpus: number | undefined;
  readonly net: 'none' | 'user' | undefined;
  readonly mounts: readonly Mount[];
  /** `NAME` to hand on the caller's variable, `NAME=VALUE` to set one. */
  readonly env: readonly string[];
  readonly attach: boolean;
  readonly emulate: boolean;
  /** Leading items of the argument list that are the verb and flags; what follows is the command. */
  readonly skip: number;
}

/** Flags, or what is wrong with them in one line. */
export type ParsedFlags = {readonly ok: true; readonly flags: GuestFlags} | {readonly ok: false; readonly text: string};

/** For the engine, which has to find bootcut's own flags among them. */
export const guestFlagNames = {
  value: ['--memory', '--cpus', '--net', '--mount', '--env'],
  plain: ['--attach', '--emulate'],
};

/** Megabytes below which Debian's kernel does not unpack its initramfs and run a shell. */
const leastMemory = 128;

/** QEMU's microvm machine stops here. */
const mostCpus = 288;

/** The flags of `run`, which has none of ours: all of its list is the command. */
export const noFlags: GuestFlags = {
  memory: undefined,
  cpus: undefined,
  net: undefined,
  mounts: [],
  env: [],
  attach: false,
  emulate: false,
  skip: 0,
};

/** Reads what stands behind the verb, up to the command: the first bare word, or what follows `--`. */
export const parseFlags = (argv: readonly string[], cwd: string): ParsedFlags => {
  let flags: GuestFlags = noFlags;
  let at = 1;
  for (; at < argv.length; at += 1) {
    const token = argv[at] ?? '';
    if (token === '--') return {ok: true, flags: {...flags, skip: at + 1}};
    if (!token.startsWith('-') || token === '-') break;
    const equals = token.startsWith('--') ? token.indexOf('=') : -1;
    const name = equals < 0 ? token : token.slice(0, equals);
    const plain = guestFlagNames.plain.includes(name);
    if (!plain && !guestFlagNames.value.includes(name)) return fault(unknownFlag(name));
    if (plain && equals >= 0) return fault(`${name} takes no value`);
    const value = plain ? '' : equals >= 0 ? token.slice(equals + 1) : argv[at + 1];
    if (value === undefined || (value === '--' && equals < 0)) return fault(`${name} needs a value`);
    const next = withFlag(flags, name, value, cwd);
    if (typeof next === 'string') return fault(next);
    flags = next;
    if (!plain && equals < 0) at += 1;
  }
  return {ok: true, flags: {...flags, skip: at}};
};

const fault = (text: string): ParsedFlags => ({ok: false, text});

const unknownFlag = (name: string): string =>
  `the runtime qemu has no flag ${name}; it has ${[...guestFlagNames.value, ...guestFlagNames.plain].join(', ')}. Put -- before a command that begins with a dash`;

/** The flags with one more, or what is wrong with it. */
const withFlag = (flags: GuestFlags, name: string, value: string, cwd: string): GuestFlags | string => {
  switch (name) {
    case '--memory': {
      const memory = parseMemory(value);
      return memory === undefined ? `--memory must be ${memoryShape}, not '${value}'` : {...flags, memory};
    }
    case '--cpus': {
      const count = parseCpus(value);
      return count === undefined ? `--cpus must be ${cpusShape()}, not '${value}'` : {...flags, cpus: count};
    }
    case '--net':
      return value === 'none' || value === 'user'
        ? {...flags, net: value}
        : `--net must be none or user, not '${value}'`;
    case '--mount': {
      const mount = parseMount(value, cwd);
      return typeof mount === 'string' ? mount : {...flags, mounts: [...flags.mounts, mount]};
    }
    case '--env':
      return /^[A-Za-z_]\w*(?:=|$)/.test(value)
        ? {...flags, env: [...flags.env, value]}
        : `--env must be NAME or NAME=VALUE, not '${value}'`;
    case '--attach':
      return {...flags, attach: true};
    default:
      return {...flags, emulate: true};
  }
};

export const memoryShape = `a number of MiB from ${leastMemory}, or a size such as 512M or 2G`;

/** MiB; undefined for what is no size, or too small to boot. */
export const parseMemory = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)(M|G|MiB|GiB)?$/i.exec(text);
  if (match === null) return undefined;
  const memory = Math.round(Number(match[1]) * (/^g/i.test(match[2] ?? '') ? 1024 : 1));
  return memory >= leastMemory && Number.isSafeInteger(memory) ? memory : undefined;
};

export const cpusShape = (): string => `a number from 1 to ${hostCpus()}, which is what this machine has`;

export const parseCpus = (text: string): number | undefined => {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= hostCpus() ? count : undefined;
};

const hostCpus = (): number => Math.min(mostCpus, Math.max(1, cpus().length));

/** Guest places that the guest itself makes: a mount over them would break it. */
const guestOwn = ['/', '/proc', '/sys', '/dev'];

/** `HOST[:GUEST][:ro|rw]`; the same path in the guest unless one is given. */
const parseMount = (text: string, cwd: string): Mount | string => {
  const parts = text.split(':');
  const last = parts.at(-1);
  const access = last === 'ro' || last === 'rw' ? last : undefined;
  const [host = '', guest, ...rest] = access === undefined ? parts : parts.slice(0, -1);
  if (host === '' || rest.length > 0) return `--mount must be HOST[:GUEST][:ro], not '${text}'`;
  const path = resolve(cwd, host);
  if (path === '/') return '--mount cannot share the whole host (/)';
  if (guest !== undefined && !guest.startsWith('/'))
    return `--mount: the place in the guest must be an absolute path, not '${guest}'`;
  const place = resolve('/', guest ?? path);
  if (guestOwn.some((own) => place === own || (own !== '/' && place.startsWith(`${own}/`))))
    return `--mount cannot put anything at ${place}: the guest has its own`;
  return {host: path, guest: place, access: access ?? 'rw'};
};
