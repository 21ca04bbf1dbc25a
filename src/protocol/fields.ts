/**
 * Payload of the launch frames: items of one byte tag, four bytes length (big endian), value. Order counts, tags may
 * repeat, unknown tags are for newer readers and passed over. No JSON, so that a small native client can speak it.
 */

export interface Field {
  readonly tag: number;
  readonly value: Buffer;
}

export const encodeFields = (fields: readonly (readonly [tag: number, value: Uint8Array | string])[]): Buffer => {
  const values = fields.map(([tag, value]) => ({tag, value: typeof value === 'string' ? Buffer.from(value) : value}));
  const size = values.reduce((sum, {value}) => sum + 5 + value.length, 0);
  const payload = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const {tag, value} of values) {
    payload[offset] = tag;
    payload.writeUInt32BE(value.length, offset + 1);
    payload.set(value, offset + 5);
    offset += 5 + value.length;
  }
  return payload;
};

/** The items of a payload, or undefined when a length does not fit. */
export const decodeFields = (payload: Buffer): readonly Field[] | undefined => {
  const fields: Field[] = [];
  let offset = 0;
  while (offset < payload.length) {
    if (offset + 5 > payload.length) return undefined;
    const tag = payload[offset] ?? 0;
    const length = payload.readUInt32BE(offset + 1);
    const end = offset + 5 + length;
    if (end > payload.length) return undefined;
    fields.push({tag, value: payload.subarray(offset + 5, end)});
    offset = end;
  }
  return fields;
};

/** A moment (monotonic milliseconds) as eight bytes of nanoseconds. */
export const momentBytes = (moment: number): Buffer => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.round(moment * 1e6))));
  return bytes;
};

export const readMoment = (bytes: Buffer): number | undefined =>
  bytes.length === 8 ? Number(bytes.readBigUInt64BE()) / 1e6 : undefined;

export const numberBytes = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

export const readNumber = (bytes: Buffer): number | undefined =>
  bytes.length === 4 ? bytes.readUInt32BE() : undefined;
