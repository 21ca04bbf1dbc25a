/**
 * Values for a target that boots already, as its program reads them from the socket named in `BOOTCUT_VALUES`
 * (plugins/qemu/native/shared/frames.h has the other side): frames of one byte type, one byte channel, two zero bytes, four
 * bytes length (little endian); in them items of one byte kind, two bytes mode, and name and value with four bytes of
 * length each. The channel says that nothing more need be waited for.
 */

/** One value for inside the target. */
export type LateValue =
  | {readonly kind: 'env'; readonly name: string; readonly value: string}
  | {readonly kind: 'file'; readonly path: string; readonly text: string; readonly mode: number};

const valuesFrame = 5;
const lastChannel = 1;
/** Longest payload of a frame there; an item that does not fit is left out. */
const payloadLimit = 65_536;
const itemKind = {env: 1, file: 2} as const;

/** The frames for these values; `last`: the target's first command may start. */
export const encodeValues = (values: readonly LateValue[], last: boolean): Buffer => {
  const payloads: Buffer[][] = [[]];
  let size = 0;
  for (const item of values.map(encodeItem)) {
    if (item.length > payloadLimit) continue;
    if (size + item.length > payloadLimit) {
      payloads.push([]);
      size = 0;
    }
    payloads.at(-1)?.push(item);
    size += item.length;
  }
  const frames = payloads.map((items) => Buffer.concat(items));
  return Buffer.concat(
    frames.map((payload, index) => encodeFrame(payload, last && index === frames.length - 1 ? lastChannel : 0)),
  );
};

const encodeFrame = (payload: Buffer, channel: number): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = valuesFrame;
  header[1] = channel;
  header.writeUInt32LE(payload.length, 4);
  return Buffer.concat([header, payload]);
};

const encodeItem = (value: LateValue): Buffer => {
  const [name, text, mode] = value.kind === 'env' ? [value.name, value.value, 0] : [value.path, value.text, value.mode];
  const head = Buffer.alloc(3);
  head[0] = itemKind[value.kind];
  head.writeUInt16LE(mode, 1);
  return Buffer.concat([head, counted(name), counted(text)]);
};

const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};
