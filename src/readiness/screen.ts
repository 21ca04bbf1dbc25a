import {readFileSync} from 'node:fs';
import {digest} from '../system/digest.js';
import type {Condition, Region} from './condition.js';
import {poll} from './poll.js';
import type {Watch} from './watch.js';
import {XDisplay} from './x11.js';

/** Between two looks at the screen, in milliseconds: a frame of most screens takes 16. */
const gapMs = 20;

type ScreenCondition = Extract<Condition, {kind: 'screen'}>;

/** A region of a display that shows something, equals a picture, or a window with a title. Looked at from outside. */
export const watchScreen = ({display, region, goal}: ScreenCondition): Watch => {
  let seen = 'the display was not looked at yet';
  return {
    until: async ({env, startedAt}, signal) => {
      const name = display ?? env['DISPLAY'];
      const look = async (): Promise<string | undefined> => {
        const found =
          goal.kind === 'title' ? await titleOn(name, goal.pattern) : await pictureOn(name, region, goal, signal);
        seen = found.text;
        return found.ok ? found.text : undefined;
      };
      const {value, at, slack} = await poll(gapMs, look, startedAt, signal);
      return {at, slack, detail: `${name ?? ''}: ${value}`};
    },
    seen: () => seen,
  };
};

interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

const titleOn = async (name: string | undefined, pattern: RegExp): Promise<Answer> => {
  const screen = await XDisplay.open(name);
  if (screen === undefined) return {ok: false, text: noDisplay(name)};
  const titles = await screen.titles();
  screen.close();
  const match = titles.find((title) => pattern.test(title));
  if (match !== undefined) return {ok: true, text: `window '${match}'`};
  return {
    ok: false,
    text: titles.length === 0 ? 'no window has a title' : `there are windows ${titles.slice(0, 5).join(', ')}`,
  };
};

const pictureOn = async (
  name: string | undefined,
  region: Region | undefined,
  goal: ScreenCondition['goal'],
  signal: AbortSignal,
): Promise<Answer> => {
  const picture = await grabScreen(name, region, signal);
  if (picture === undefined) return {ok: false, text: noDisplay(name)};
  if (goal.kind !== 'picture') {
    return picture.isBlank ? {ok: false, text: 'it is blank: one colour'} : {ok: true, text: 'it shows something'};
  }
  const wanted = readPpm(goal.path);
  if (wanted === undefined) return {ok: false, text: `${goal.path} is no PPM picture (P6, 255 colours)`};
  return picture.rgb().equals(wanted)
    ? {ok: true, text: `it equals ${goal.path}`}
    : {ok: false, text: `it differs from ${goal.path}`};
};

const noDisplay = (name: string | undefined): string => `no display ${name ?? '(DISPLAY is not set)'} can be looked at`;

export interface Picture {
  /** Every pixel has the same colour. */
  readonly isBlank: boolean;
  readonly digest: string;
  /** Three bytes a pixel, row by row. */
  readonly rgb: () => Buffer;
}

/** What a display shows now; undefined when it cannot be seen. */
export const grabScreen = async (
  name: string | undefined,
  region: Region | undefined,
  signal: AbortSignal,
): Promise<Picture | undefined> => {
  const screen = await XDisplay.open(name);
  if (screen === undefined || signal.aborted) return undefined;
  const pixels = await screen.image(region ?? {x: 0, y: 0, width: screen.width, height: screen.height});
  screen.close();
  if (pixels === undefined || pixels.length < 4) return undefined;
  const first = pixels.readUInt32LE(0);
  const words = new Uint32Array(pixels.buffer.slice(pixels.byteOffset, pixels.byteOffset + (pixels.length & ~3)));
  return {
    isBlank: words.every((word) => word === first),
    digest: digest(pixels, 16),
    rgb: () => {
      const bytes = Buffer.alloc(words.length * 3);
      words.forEach((word, index) => bytes.writeUIntBE(word & 0xff_ff_ff, index * 3, 3));
      return bytes;
    },
  };
};

const readPpm = (path: string): Buffer | undefined => {
  try {
    const bytes = readFileSync(path);
    const head = /^P6\s+(?:#[^\n]*\n)?\s*(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 200));
    return head === null ? undefined : bytes.subarray(head[0].length);
  } catch {
    return undefined;
  }
};
