import {chmodSync, mkdtempSync, realpathSync, symlinkSync, unlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {inOneRound, launchProgram} from '../../../src/system/launch-program.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'bootcut-program-')));
const script = (name: string, text = '#!/bin/sh\n'): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};

const launch = (name: string) => ({argv: [name], env: {PATH: directory}, cwd: directory});

describe('the program of a launch', () => {
  it('is found by PATH, with the real file and the first line of a script', () => {
    const real = script('real', '#!/bin/sh -e\nexit 0\n');
    symlinkSync('real', join(directory, 'link'));
    expect(launchProgram(launch('link'))).toEqual({path: join(directory, 'link'), real, line: '#!/bin/sh -e'});
    expect(launchProgram(launch('absent'))).toBeUndefined();
    expect(launchProgram({...launch(process.execPath)})?.line).toBeUndefined();
  });

  it('is looked for once within a round, and anew after it', () => {
    const path = script('once');
    const one = launch('once');
    inOneRound(() => {
      expect(launchProgram(one)?.path).toBe(path);
      unlinkSync(path);
      expect(launchProgram(one)?.path).toBe(path);
      expect(launchProgram(launch('once'))).toBeUndefined(); // another launch
    });
    expect(launchProgram(one)).toBeUndefined();
  });

  it('is not kept from a round in which somebody failed', () => {
    const path = script('failed');
    const one = launch('failed');
    expect(() =>
      inOneRound(() => {
        launchProgram(one);
        throw new Error('a plugin');
      }),
    ).toThrow('a plugin');
    unlinkSync(path);
    expect(launchProgram(one)).toBeUndefined();
  });
});
