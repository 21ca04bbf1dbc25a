/** A file or directory of an archive. */
export interface CpioEntry {
  readonly path: string;
  /** Type and permissions, as `stat` has them. */
  readonly mode: number;
  readonly content?: Uint8Array;
}

export const plainFile = 0o100644;
export const program = 0o100755;
export const directory = 0o040755;

/** An initramfs in the form "newc", as the kernel reads it: no compression, which costs more than it saves (0.06 s). */
export const cpioArchive = (entries: readonly CpioEntry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry, index) => cpioEntry(index + 1, entry)),
    ...cpioEntry(0, {path: 'TRAILER!!!', mode: 0}),
  ]);

/** Owner and times are zero, so that equal content makes equal archives. */
const cpioEntry = (inode: number, {path, mode, content = new Uint8Array()}: CpioEntry): readonly Uint8Array[] => {
  const nameLength = Buffer.byteLength(path) + 1;
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, nameLength, 0];
  const numbers = fields.map((field) => field.toString(16).padStart(8, '0')).join('');
  const head = Buffer.from(`070701${numbers}${path}\0`);
  return [head, padding(head.length), content, padding(content.length)];
};

const padding = (length: number): Buffer => Buffer.alloc((4 - (length % 4)) % 4);
