import type {Json} from '../model/json.js';
import {type LaunchId, ms} from '../model/units.js';
import {stepName} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import type {ChosenOptimization} from './optimizations.js';

/** A warm-up that runs longer than any boot helps nobody. */
const warmUpLimit = ms(60_000);

/** What came of a warm-up, for the record; `name` is `plugin/name`. */
export interface WarmUpSeen {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly said: Json;
}

/** One warm-up that runs or has run. */
export interface WarmUpRun {
  /** Digest of the subject that it is for. */
  readonly subject: string;
  readonly end: AbortController;
  /** Undefined while it runs. */
  readonly seen: () => WarmUpSeen | undefined;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/** Where warm-ups run. */
export interface WarmUpPlace {
  readonly clock: Clock;
  /** Of all optimizations. */
  readonly directory: string;
}

/** Starts the warm-up of an optimization for a launch that its host knows. */
export const beginWarmUp = (
  {clock, directory}: WarmUpPlace,
  launch: LaunchId,
  {host, info, subject}: ChosenOptimization,
  ahead: boolean,
): WarmUpRun => {
  const ref = {plugin: info.plugin, name: info.name};
  const [from, end] = [clock.now(), new AbortController()];
  let seen: WarmUpSeen | undefined;
  const ended = host
    .call('warmUp', {launch, ref, directory, ahead}, {limit: warmUpLimit, signal: end.signal})
    .then((result) => {
      seen = {name: stepName(ref), from, to: clock.now(), said: result.ok ? result.value : result.fault.detail};
    });
  return {subject: subject.digest, end, seen: () => seen, ended};
};
