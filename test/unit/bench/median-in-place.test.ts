import {describe, expect, it} from 'vitest';
import {medianInPlace} from '../../../src/bench/median-in-place.js';
import {seededRandom} from '../../../src/bench/random.js';
import {median} from '../../../src/bench/statistics.js';

describe('a median that sorts nothing', () => {
  it('is the one that sorting finds, for any number of values and any ties', () => {
    const random = seededRandom(4);
    for (let length = 1; length <= 60; length += 1) {
      for (let time = 0; time < 20; time += 1) {
        const values = Array.from({length}, () => Math.floor(random() * (time % 2 === 0 ? 4 : 1000)) - 2);
        expect(medianInPlace(Float64Array.from(values)), JSON.stringify(values)).toBe(median(values));
      }
    }
  });
});
