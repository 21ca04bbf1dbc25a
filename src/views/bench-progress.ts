import type {BenchProgress} from '../bench/run-bench.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';

/** One line that is overwritten by the next; for a terminal only. */
export const benchProgressLine = ({done, total, variant, round, leftMs}: BenchProgress): string => {
  const where = round === 0 ? 'warm-up' : `round ${round}`;
  const left = leftMs === undefined ? '' : `, about ${duration(leftMs)} left`;
  return `${where}: ${visible(variant)} (${done + 1} of ${total}${left})`;
};
