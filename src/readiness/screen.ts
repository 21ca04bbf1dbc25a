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
          goal.kind === 'title'
            ? await titleOn(name, env, goal.pattern)
            : await pictureOn({name, env, region, signal}, goal);
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

const titleOn = async (name: string | undefined, env: NodeJS.ProcessEnv, pattern: RegExp): Promise<Answer> => {
  const screen = await XDisplay.open(name, env);
  if (typeof screen === 'string') return {ok: false, text: screen};
  const titles = await screen.titles();
  screen.close();
  const match = titles.find((title) => pattern.test(title));
  if (match !== undefined) return {ok: true, text: `window '${match}'`};
  return {
    ok: false,
    text: titles.length === 0 ? 'no window has a title' : `there are windows ${titles.slice(0, 5).join(', ')}`,
  };
};

const pictureOn = async (look: ScreenLook, goal: ScreenCondition['goal']): Promise<Answer> => {
  const picture = await grabScreen(look);
  if (typeof picture === 'string') return {ok: false, text: picture};
  if (goal.kind !== 'picture') {
    return picture.isBlank ? {ok: false, text: 'it is blank: one colour'} : {ok: true, text: 'it shows something'};
  }
  const wanted = readPpm(goal.path);
  if (wanted === undefined) return {ok: false, text: `${goal.path} is no PPM picture (P6, 255 colours)`};
  const [own, other] = [picture, wanted].map(({width, height}) => `${width}x${height}`);
  if (own !== other) return {ok: false, text: `${goal.path} is of ${other ?? ''} pixels, the region of ${own ?? ''}`};
  return picture.rgb().equals(wanted.rgb)
    ? {ok: true, text: `it equals ${goal.path}`}
    : {ok: false, text: `it differs from ${goal.path}`};
};

/** What to look at: a display as the target names it, with the target's environment. */
export interface ScreenLook {
  readonly name: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Absent: all of it. */
  readonly region: Region | undefined;
  readonly signal: AbortSignal;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Every pixel has the same colour. */
  readonly isBlank: boolean;
  readonly digest: string;
  /** Three bytes a pixel, row by row. */
  readonly rgb: () => Buffer;
}

/** What a display shows now; a text where it cannot be seen: why not. */
export const grabScreen = async ({name, env, region, signal}: ScreenLook): Promise<Picture | string> => {
  const screen = await XDisplay.open(name, env);
  if (typeof screen === 'string') return screen;
  const wanted = region ?? {x: 0, y: 0, width: screen.width, height: screen.height};
  const pixels = signal.aborted ? undefined : await screen.image(wanted);
  screen.close();
  // The server says no to a region that is not all on its screen.
  if (pixels === undefined || pixels.length < 4)
    return `there is no such region on ${screen.width}x${screen.height} pixels`;
  const first = pixels.readUInt32LE(0);
  const words = new Uint32Array(pixels.buffer.slice(pixels.byteOffset, pixels.byteOffset + (pixels.length & ~3)));
  return {
    width: wanted.width,
    height: wanted.height,
    isBlank: words.every((word) => word === first),
    digest: digest(pixels, 16),
    rgb: () => {
      const bytes = Buffer.alloc(words.length * 3);
      words.forEach((word, index) => bytes.writeUIntBE(word & 0xff_ff_ff, index * 3, 3));
      return bytes;
    },
  };
};

interface Ppm {
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
}

const readPpm = (path: string): Ppm | undefined => {
  try {
    const bytes = readFileSync(path);
    const head = /^P6\s+(?:#[^\n]*\n)?\s*(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 200));
    if (head === null) return undefined;
    return {width: Number(head[1]), height: Number(head[2]), rgb: bytes.subarray(head[0].length)};
  } catch {
    return undefined;
  }
};
