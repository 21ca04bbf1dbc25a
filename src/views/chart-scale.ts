import {figure} from '../profile/figures.js';

/** Round values from 0 to `most`, about `wanted` of them: steps of 1, 2 or 5 and zeros. */
export const ticksOf = (most: number, wanted: number): readonly number[] => {
  if (!(most > 0)) return [0];
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  return Array.from({length: Math.floor(most / step + 1e-9) + 1}, (_, index) => index * step);
};

/** A tick's label in one unit for the whole axis: milliseconds, or seconds where there are many. */
export const tickLabel = (milliseconds: number, most: number): string => {
  if (most >= 10_000) return `${trimmed(milliseconds / 1000)} s`;
  return `${trimmed(milliseconds)} ms`;
};

const trimmed = (value: number): string =>
  figure(value, Math.abs(value) >= 10 || value === 0 ? 0 : 3)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

/** Coordinates: whole numbers of hundredths, which no reader of the file has to round. */
export const place = (value: number): string => String(Math.round(value * 100) / 100 + 0);
