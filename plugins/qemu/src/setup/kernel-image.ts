import {gunzipSync} from 'node:zlib';
import {hasProgram, runProgram} from './programs.js';
import {Trouble} from './trouble.js';

const elf = Buffer.from('7f454c46', 'hex');

/** How kernels are compressed, by how the data begins; unpacked by programs, which nearly every system has. */
const forms = [
  {magic: 'fd377a585a00', argv: ['xz', '-dc', '--single-stream']},
  {magic: '02214c18', argv: ['lz4', '-dc']},
  {magic: '28b52ffd', argv: ['zstd', '-dc']},
  {magic: '1f8b', argv: ['gzip', '-dc']},
] as const;

/** A kernel as QEMU starts it quickest, and its release. */
export interface KernelImage {
  readonly image: Buffer;
  readonly release: string;
  /** Why it stayed compressed: the program that would unpack it. It boots all the same, some 0.3 s later. */
  readonly packedFor: string | undefined;
}

/**
 * A bzImage holds an ELF file that QEMU can start at once (PVH) instead of letting the guest unpack it, which takes an
 * emulated one 0.25 s (lz4) and up. An ELF file is one already.
 */
export const readKernelImage = async (bytes: Buffer, path: string): Promise<KernelImage> => {
  if (bytes.subarray(0, 4).equals(elf)) return {image: bytes, release: releaseOfElf(bytes, path), packedFor: undefined};
  if (bytes.length < 0x264 || bytes.toString('latin1', 0x202, 0x206) !== 'HdrS')
    throw new Trouble(`${path} is neither a bzImage nor a vmlinux for x86-64`);
  const release = releaseOfImage(bytes);
  const start = (bytes.readUInt8(0x1f1) + 1) * 512 + bytes.readUInt32LE(0x248);
  // The last four bytes are the unpacked length, which programs take for rubbish behind the end.
  const payload = bytes.subarray(start, start + bytes.readUInt32LE(0x24c) - 4);
  const form = forms.find(({magic}) => payload.subarray(0, magic.length / 2).toString('hex') === magic);
  if (form === undefined) return {image: bytes, release, packedFor: 'no program that we know'};
  const image = await unpack(payload, form.argv);
  const isElf = image?.subarray(0, 4).equals(elf) ?? false;
  return isElf && image !== undefined
    ? {image, release, packedFor: undefined}
    : {image: bytes, release, packedFor: form.argv[0]};
};

const unpack = async (payload: Buffer, argv: readonly string[]): Promise<Buffer | undefined> => {
  if (argv[0] === 'gzip') return gunzipSync(payload);
  if (!hasProgram(argv[0] ?? '')) return undefined;
  return (await runProgram(argv, {input: payload})).stdout;
};

/** Of the real-mode header: a pointer to `6.1.0-57-amd64 (builder@host) #1 SMP …`. */
const releaseOfImage = (bytes: Buffer): string => {
  const at = bytes.readUInt16LE(0x20e) + 0x200;
  return bytes.toString('latin1', at, at + 128).split(/[\s\0]/)[0] ?? '';
};

const releaseOfElf = (bytes: Buffer, path: string): string => {
  const at = bytes.indexOf('Linux version ');
  const release = at < 0 ? undefined : /^Linux version (\d\S*) /.exec(bytes.toString('latin1', at, at + 128))?.[1];
  if (release === undefined) throw new Trouble(`${path} does not say which Linux it is`);
  return release;
};
