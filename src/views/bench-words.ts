import type {Comparison, Verdict} from '../bench/judge.js';
import type {RowKind} from '../bench/report.js';
import {figure} from '../profile/figures.js';
import {visible} from '../system/visible.js';

/** A value of a row: milliseconds with as many digits as it is worth; other figures bare. */
export const inUnit = (value: number, kind: RowKind): string => {
  const size = Math.abs(value);
  const digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return `${figure(value, digits)}${kind === 'milestone' ? ' ms' : ''}`;
};

export const percentOf = (share: number | null): string =>
  share === null ? 'no share' : `${share > 0 ? '+' : ''}${figure(share * 100, 1)} %`;

/** What is no time is not faster: it is lower. */
export const verdictWord = (verdict: Verdict, kind: RowKind): string => {
  if (kind === 'milestone') return verdict;
  return verdict === 'faster' ? 'lower' : verdict === 'slower' ? 'higher' : verdict;
};

/** The verdict at the endpoint as a sentence. */
export const comparisonWords = (
  variant: string,
  base: string,
  endpoint: string,
  {verdict, difference, share, interval, n, needed}: Comparison,
  overlaps: boolean | null,
): string => {
  const [one, other, where] = [visible(variant), visible(base), visible(endpoint)];
  const ranges = overlaps === null ? '' : overlaps ? '; the ranges overlap' : '; the ranges do not overlap';
  const between =
    interval === null
      ? ''
      : `, 95 % interval ${inUnit(interval.low, 'milestone')} to ${inUnit(interval.high, 'milestone')}`;
  const change =
    difference === null
      ? ''
      : `: ${difference > 0 ? '+' : ''}${inUnit(difference, 'milestone')} (${percentOf(share)})${between}`;
  switch (verdict) {
    case 'faster':
    case 'slower':
      return `${one} is ${verdict} than ${other} at ${where}${change}${ranges}.`;
    case 'no difference shown':
      return `${one} against ${other} at ${where}: no difference shown${change}${ranges}.`;
    case 'not enough data':
      return `${one} against ${other} at ${where}: not enough data (${lack(n, needed)})${change}${ranges}.`;
  }
};

/** What a verdict lacks: rounds, or rounds with the other of the two first. */
const lack = (n: number, needed: number | null): string => {
  const rounds = `${n} ${n === 1 ? 'round' : 'rounds'} with both`;
  if (needed === null) return rounds;
  return n < needed ? `${rounds}, ${needed} needed` : `${rounds}, too few of them with one of the two first`;
};
