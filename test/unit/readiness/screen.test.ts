import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {XDisplayRig} from '../../rig/x-display.js';
import {at, oneRun} from './one-run.js';

const detailOf = (run: Awaited<ReturnType<typeof oneRun>>, name: string): string | undefined =>
  run.milestones.find((one) => one.name === name)?.detail;

/** A window in one colour, cursor included, without a border, in the corner of the screen. */
const xterm = (colour: string, script: string): readonly string[] => [
  'xterm',
  ...['-T', 'a real window', '-bg', colour, '-fg', colour, '-cr', colour, '-b', '0', '-bw', '0', '+sb'],
  ...['-geometry', '20x6+0+0', '-e', 'sh', '-c', script],
];

/** A picture of one colour, as PPM. */
const picture = (path: string, width: number, height: number, rgb: readonly [number, number, number]): string => {
  const head = Buffer.from(`P6\n# drawn by a test\n${width} ${height}\n255\n`);
  writeFileSync(path, Buffer.concat([head, ...Array.from({length: width * height}, () => Buffer.from(rgb))]));
  return path;
};

describe('a screen', () => {
  let x: XDisplayRig;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    x = await XDisplayRig.create();
    env = {DISPLAY: x.display};
  });
  afterAll(async () => await x[Symbol.asyncDispose]());

  it('stops being blank (of one colour) in a region, and a window has a title, when a program opens one', async () => {
    const run = await oneRun(
      xterm('#336699', 'sleep 60'),
      ['window=screen: title=/^a real window$/', 'drawn=screen: region=60x60+90+50'],
      {env},
    );
    expect(run.why).toBeUndefined();
    expect(detailOf(run, 'window')).toBe(`${x.display}: window 'a real window'`);
    expect(detailOf(run, 'drawn')).toBe(`${x.display}: it shows something`);
    expect(run.milestones.find(({name}) => name === 'drawn')?.slack).toMatchObject({by: 'polled', gapMs: 20});
  });

  it('says what it saw where no such window came, and that the screen stayed blank', async () => {
    const run = await oneRun(
      xterm('#000000', 'sleep 60'),
      ['screen: title=/^other$/', 'screen: region=20x10+200+200'],
      {
        env,
        limitMs: 3000,
      },
    );
    expect(run.state).toBe('failed');
    expect(run.why).toContain('there are windows a real window');
    expect(run.why).toContain('it is blank: one colour');
  });

  it('matches a picture of what is drawn, to the pixel and no other', async () => {
    const right = picture(join(x.root, 'right.ppm'), 20, 10, [0x33, 0x66, 0x99]);
    const run = await oneRun(xterm('#336699', 'sleep 60'), [`as-drawn=screen: region=20x10+5+5 picture=${right}`], {
      env,
    });
    expect(run.why).toBeUndefined();
    expect(detailOf(run, 'as-drawn')).toBe(`${x.display}: it equals ${right}`);
    const wrong = picture(join(x.root, 'wrong.ppm'), 20, 10, [0x99, 0x66, 0x33]);
    const turned = picture(join(x.root, 'turned.ppm'), 10, 20, [0x33, 0x66, 0x99]);
    writeFileSync(join(x.root, 'none.ppm'), 'P3 1 1 255 0 0 0');
    const never = await oneRun(
      xterm('#336699', 'sleep 60'),
      [wrong, turned, join(x.root, 'none.ppm')].map((file) => `screen: region=20x10+5+5 picture=${file}`),
      {env, limitMs: 3000},
    );
    expect(never.why).toContain(`it differs from ${wrong}`);
    expect(never.why).toContain(`${turned} is of 10x20 pixels, the region of 20x10`);
    expect(never.why).toContain('none.ppm is no PPM picture');
  });

  it('of which a region is asked for that it does not have says so', async () => {
    const run = await oneRun(['sleep', '60'], ['screen: region=20x10+400+5'], {env, limitMs: 1000});
    expect(run.why).toContain('there is no such region on 320x240 pixels');
  });

  it('has settled after the last that a real window draws, and the quiet time is no part of it', async () => {
    const script = 'for n in 1 2 3 4; do echo $n; echo "drawn $n" >>"$BOOTCUT_TIMELINE"; sleep 0.4; done; sleep 60';
    const run = await oneRun(
      ['xterm', '-geometry', '20x6+0+0', '-e', 'sh', '-c', script],
      ['settled=settled:screen quiet=1500ms'],
      {env},
    );
    expect(run.why).toBeUndefined();
    expect(at(run, 'settled')).toBeGreaterThan(at(run, 'drawn 3'));
    expect(detailOf(run, 'settled')).toContain('the screen stopped changing');
    expect(run.milestones.find(({name}) => name === 'settled')?.slack?.by).toBe('polled');
  });

  it('that goes on drawing is unsettled, not failed', async () => {
    const script = 'while :; do date +%N; sleep 0.1; done';
    const run = await oneRun(
      ['xterm', '-geometry', '20x6+0+0', '-e', 'sh', '-c', script],
      ['settled:screen quiet=2s'],
      {
        env,
        limitMs: 4000,
      },
    );
    expect(run.state).toBe('unsettled');
  });
});

describe('a display that wants a cookie', () => {
  let x: XDisplayRig;
  beforeAll(async () => {
    x = await XDisplayRig.create({withCookie: true});
  });
  afterAll(async () => await x[Symbol.asyncDispose]());

  it('is looked at with that of the target: from XAUTHORITY, or from ~/.Xauthority', async () => {
    for (const env of [
      {DISPLAY: x.display, XAUTHORITY: x.authority},
      {DISPLAY: `${x.display}.0`, XAUTHORITY: x.authority},
    ]) {
      const run = await oneRun(xterm('#336699', 'sleep 60'), ['screen: title=/real/'], {env});
      expect(run.why).toBeUndefined();
    }
    const home = join(x.root, 'home');
    const setUp = `mkdir -p ${home} && cp ${x.authority} ${home}/.Xauthority && exec xterm -T 'a real window'`;
    const run = await oneRun(['sh', '-c', setUp], ['screen: title=/real/'], {env: {DISPLAY: x.display, HOME: home}});
    expect(run.why).toBeUndefined();
  });

  it('says why it does not let in who has none, and never what the cookie is', async () => {
    const env = {DISPLAY: x.display, XAUTHORITY: join(x.root, 'nothing')};
    const run = await oneRun(['sleep', '60'], ['screen:'], {env, limitMs: 1000});
    expect(run.why).toContain(`${x.display} does not let us in: Authorization required`);
    const cut = join(x.root, 'cut');
    writeFileSync(cut, Buffer.from([1, 0, 0, 200, 1]));
    const broken = await oneRun(['sleep', '60'], ['screen:'], {env: {...env, XAUTHORITY: cut}, limitMs: 1000});
    expect(broken.why).toContain('does not let us in');
    expect(JSON.stringify([run, broken])).not.toContain('0123456789abcdef');
  });

  it('and one that is not there, or is on another machine, are told apart', async () => {
    for (const [display, words] of [
      [':4321', ':4321 is not there'],
      ['elsewhere:0', 'elsewhere:0 is no display of this machine'],
      ['', 'DISPLAY is not set'],
    ] as const) {
      const run = await oneRun(['sleep', '60'], ['screen:'], {env: {DISPLAY: display}, limitMs: 500});
      expect(run.why).toContain(words);
    }
  });
});
