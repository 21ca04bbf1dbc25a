import {describe, it} from 'vitest';
import {encodeFrame, type Frame, FrameReader, frameLimit} from '../../../src/protocol/frames.js';
import {decodeLaunch, encodeLaunch} from '../../../src/protocol/launch-codec.js';
import {seededRandom} from '../../rig/random.js';
import {randomLaunch} from './values.js';

/** Everything a reader makes of chunks. */
const readAll = (chunks: Iterable<Uint8Array>): readonly Frame[] => {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    const read = reader.push(chunk);
    if (!read.ok) throw new Error(read.reason);
    frames.push(...read.frames);
  }
  return frames;
};

function* cut(bytes: Buffer, length: () => number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + length());
    yield bytes.subarray(at, end);
    at = end;
  }
}

describe('frames', () => {
  it('come out the same however they are cut', ({expect}) => {
    const random = seededRandom(1);
    for (let round = 0; round < 300; round += 1) {
      const frames = Array.from({length: 1 + random.whole(6)}, () => ({
        type: random.whole(256),
        payload: random.bytes(random.whole(300)),
      }));
      const bytes = Buffer.concat(frames.map(({type, payload}) => encodeFrame(type, payload)));
      expect(readAll(cut(bytes, () => random.whole(40)))).toEqual(frames);
    }
  });

  it('come out the same byte by byte, with CJK, emoji and bytes that are no UTF-8', ({expect}) => {
    const launch = {
      ...randomLaunch(seededRandom(2)),
      argv: [Buffer.from('項目'.repeat(30) + '🚀'), Buffer.from([0xff, 0xc3])],
      env: [Buffer.from(`BIG=${'名🚀'.repeat(60_000)}`)],
    };
    const [frame] = readAll(cut(encodeLaunch(launch), () => 1));
    const decoded = decodeLaunch(frame?.payload ?? Buffer.alloc(0));
    expect(decoded?.argv).toEqual(launch.argv);
    expect(Buffer.from(decoded?.env[0] ?? []).equals(launch.env[0] ?? Buffer.alloc(1))).toBe(true);
  });

  it('may be empty, and as long as the limit', ({expect}) => {
    expect(readAll([encodeFrame(7)])).toEqual([{type: 7, payload: Buffer.alloc(0)}]);
    const longest = encodeFrame(7, Buffer.alloc(frameLimit - 1, 1));
    expect(readAll([longest])[0]?.payload.length).toBe(frameLimit - 1);
  });

  it('keep what a writer does to its buffer afterwards out', ({expect}) => {
    const bytes = encodeFrame(1, Buffer.from('abc'));
    const [frame] = readAll([bytes]);
    bytes.fill(0);
    expect(frame?.payload.toString()).toBe('abc');
  });
});

describe('a peer that talks nonsense', () => {
  for (const [name, length] of [
    ['a frame beyond the limit', frameLimit + 1],
    ['a frame of 4 GB', 2 ** 32 - 1],
    ['a frame without a type', 0],
  ] as const) {
    it(`${name} is refused at its header`, ({expect}) => {
      const header = Buffer.alloc(4);
      header.writeUInt32BE(length);
      expect(new FrameReader().push(header)).toMatchObject({ok: false});
      expect(readAllOrReason(cut(header, () => 1))).toMatch(/frame of/);
    });
  }

  it('is refused again whatever it sends next', ({expect}) => {
    const reader = new FrameReader();
    expect(reader.push(Buffer.alloc(5, 0xff)).ok).toBe(false);
    expect(reader.push(encodeFrame(1)).ok).toBe(false);
  });

  it('50 MB without a frame end are refused with the memory of one chunk', ({expect}) => {
    const chunk = Buffer.alloc(65_536, 'x');
    const reader = new FrameReader();
    const before = process.memoryUsage().arrayBuffers;
    let refused = 0;
    for (let sent = 0; sent < 50 * 1024 * 1024; sent += chunk.length) if (!reader.push(chunk).ok) refused += 1;
    expect(refused).toBe(800);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * frameLimit);
  });

  it('a hundred who promise the longest frame and send nothing cost a fiftieth of it', ({expect}) => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(frameLimit);
    const readers = Array.from({length: 100}, () => new FrameReader());
    const before = process.memoryUsage().arrayBuffers;
    expect(readers.every((reader) => reader.push(header).ok)).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * (frameLimit / 50));
  });
});

const readAllOrReason = (chunks: Iterable<Uint8Array>): string => {
  try {
    readAll(chunks);
    return 'read';
  } catch (error) {
    return String(error);
  }
};
