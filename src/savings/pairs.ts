import type {PairedRound} from '../bench/paired.js';
import type {Endpoint, LaunchEntry} from './entry.js';

/** Launches with and without an optimization, each set against the nearest of the other kind. */
export interface Pairs {
  /** The endpoint that was compared: `ready` where there are launches that had it, they measure what people wait for. */
  readonly endpoint: Endpoint;
  /** In the order in which they were completed; `base` is the launch that was held back. */
  readonly rounds: readonly PairedRound[];
  /** The launch of a block of two whose other half is still to come. */
  readonly open: LaunchEntry | undefined;
}

/**
 * Pairs neighbours in time, so that a machine that is slow for an hour is slow for both of a pair. In a trial the blocks of
 * two are the pairs. Later, where one launch in N is held back, it is set against the launch before and the launch after it
 * by turns: were it always the one before, position and optimization could not be told apart.
 */
export const pairsOf = (launches: readonly LaunchEntry[]): Pairs => {
  const endpoint = launches.some((launch) => launch.endpoint === 'ready') ? 'ready' : 'ended';
  const rounds: PairedRound[] = [];
  let open: LaunchEntry | undefined;
  let used: LaunchEntry | undefined;
  let waiting: LaunchEntry | undefined;
  let heldBack = 0;
  for (const launch of launches) {
    if (launch.endpoint !== endpoint) continue;
    if (launch.trial) {
      if (open !== undefined && open.arm !== launch.arm) {
        rounds.push(pair(open, launch));
        open = undefined;
      } else open = launch;
    } else if (launch.arm === 'held-back') {
      heldBack += 1;
      if (heldBack % 2 === 1 && used !== undefined) {
        rounds.push(pair(used, launch));
        used = undefined;
      } else waiting = launch;
    } else if (waiting !== undefined) {
      rounds.push(pair(waiting, launch));
      waiting = undefined;
    } else used = launch;
  }
  return {endpoint, rounds, open};
};

const pair = (first: LaunchEntry, second: LaunchEntry): PairedRound =>
  first.arm === 'used'
    ? {base: second.took, variant: first.took, variantFirst: true}
    : {base: first.took, variant: second.took, variantFirst: false};
