import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {Predictions} from '../../../src/launch/predictions.js';
import {ms, type WallTime} from '../../../src/model/units.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const minute = 60_000;
const keep = ms(30 * minute);
const at = (minutes: number): WallTime => (1e12 + minutes * minute) as WallTime;

const unused = (history: Predictions, times: number): void => {
  for (let count = 0; count < times; count += 1) history.ended('/project', false);
};

describe('which launches are expected', () => {
  test('every project at first', ({expect}) => {
    const history = new Predictions(undefined);
    history.launched('/project', at(0));
    expect(history.isWorthIt('/project', keep)).toBe(true);
    unused(history, 2);
    expect(history.isWorthIt('/project', keep)).toBe(true);
  });

  test('not one where three in a row went unused', ({expect}) => {
    const history = new Predictions(undefined);
    history.launched('/project', at(0));
    unused(history, 3);
    history.launched('/project', at(600));
    expect(history.isWorthIt('/project', keep)).toBe(false);
    expect(history.isWorthIt('/other', keep)).toBe(true);
  });

  test('again, once two launches come within the time a standby is kept', ({expect}) => {
    const history = new Predictions(undefined);
    history.launched('/project', at(0));
    unused(history, 3);
    history.launched('/project', at(600));
    history.launched('/project', at(620));
    expect(history.isWorthIt('/project', keep)).toBe(true);
  });

  test('again, once one was used', ({expect}) => {
    const history = new Predictions(undefined);
    unused(history, 5);
    history.ended('/project', true);
    expect(history.isWorthIt('/project', keep)).toBe(true);
    expect(history.figures('/project')).toEqual({ready: 6, used: 1});
  });

  test('a clock that jumped back proves nothing', ({expect}) => {
    const history = new Predictions(undefined);
    history.launched('/project', at(600));
    unused(history, 3);
    history.launched('/project', at(0));
    expect(history.isWorthIt('/project', keep)).toBe(false);
  });
});

describe('what is kept of it on disk', () => {
  test('outlives the daemon', async ({expect}) => {
    const path = join(await temporaryDirectory('standby'), 'standby.json');
    const history = new Predictions(path);
    history.launched('/project', at(0));
    unused(history, 3);
    expect(new Predictions(path).isWorthIt('/project', keep)).toBe(false);
  });

  test('nonsense in the file costs nothing but the memory', async ({expect}) => {
    const path = join(await temporaryDirectory('standby'), 'standby.json');
    for (const text of ['', '{', '[]', '{"/project": {"ready": "many"}}']) {
      await writeFile(path, text);
      expect(new Predictions(path).isWorthIt('/project', keep)).toBe(true);
    }
  });
});
