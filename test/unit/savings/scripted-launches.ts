import type {Random} from '../../../src/bench/random.js';
import type {LaunchEntry} from '../../../src/savings/entry.js';
import type {Ledger, Subject} from '../../../src/savings/ledger.js';

export const subject: Subject = {digest: 'a'.repeat(32), name: 'test/scripted', label: 'app', prepared: 'one'};

/** How long launches of a scripted target take. */
export interface ScriptedTarget {
  /** Milliseconds without the optimization. */
  readonly base: number;
  /** Part of it that the optimization saves. */
  readonly gain: number;
  /** Standard deviation of one launch, part of it. */
  readonly noise: number;
  /** Part by which each launch is slower than the one before: a machine that fills up. */
  readonly drift?: number;
}

/** A normal variate out of uniform ones (Box and Muller). */
const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Launches until the ledger says more than 'trial', or `most` of them; says what it said and after how many. */
export const launchUntilDecided = (
  ledger: Ledger,
  target: ScriptedTarget,
  random: Random,
  most: number,
): {readonly standing: string; readonly launches: number} => {
  for (let launches = 1; launches <= most; launches += 1) {
    addLaunch(ledger, target, random, launches);
    const standing = ledger.accounts()[0]?.account.standing ?? 'trial';
    if (standing !== 'trial') return {standing, launches};
  }
  return {standing: 'trial', launches: most};
};

/** One launch, drawn and timed as the engine would; a launch for which it is switched off leaves no entry. */
export const addLaunch = (ledger: Ledger, target: ScriptedTarget, random: Random, at: number, holdback = 20): void => {
  const {arm, trial} = ledger.draw(subject, holdback);
  if (arm === 'switched-off') return;
  const speed = (1 + (target.drift ?? 0)) ** at * Math.exp(normal(random) * target.noise);
  const took = target.base * speed * (arm === 'used' ? 1 - target.gain : 1);
  ledger.add(subject, {kind: 'launch', at, arm, trial, endpoint: 'ended', took});
};

export const launchesIn = (ledger: Ledger): readonly LaunchEntry[] => ledger.accounts()[0]?.account.launches ?? [];
