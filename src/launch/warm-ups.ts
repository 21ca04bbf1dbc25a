import type {Json} from '../model/json.js';
import {type LaunchId, ms} from '../model/units.js';
import {stepName} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import type {PreparedLaunch} from './prepare.js';

/** Longest time a target is looked at, to learn from it. */
const watchLimit = ms(60_000);

/** A warm-up that runs longer than any boot helps nobody. */
const warmUpLimit = ms(60_000);

/** What came of the warm-ups of a launch, by `plugin/name`. */
export interface WarmUpSeen {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly said: Json;
}

/** What runs beside one launch. */
interface RunningWarmUps {
  readonly end: AbortController;
  readonly seen: WarmUpSeen[];
}

/** Warm-ups run beside their launch and end with it at the latest; nobody waits for them. */
export class WarmUps {
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #running = new Map<LaunchId, RunningWarmUps>();

  constructor(clock: Clock, directory: string) {
    this.#clock = clock;
    this.#directory = directory;
  }

  start({launch: {id}, optimizations}: PreparedLaunch): void {
    const wanted = optimizations.filter(({state, info}) => info.warmsUp && (state === 'used' || state === 'learning'));
    if (wanted.length === 0) return;
    const running = this.#of(id);
    for (const {host, info} of wanted) {
      const ref = {plugin: info.plugin, name: info.name};
      const from = this.#clock.now();
      void host
        .call('warmUp', {launch: id, ref, directory: this.#directory}, {limit: warmUpLimit, signal: running.end.signal})
        .then((result) => {
          const said = result.ok ? result.value : result.fault.detail;
          running.seen.push({name: stepName(ref), from, to: this.#clock.now(), said});
        });
    }
  }

  /** The target of a launch runs: what is learnt from it begins to look. */
  watch({launch: {id}, optimizations}: PreparedLaunch, pid: number): void {
    for (const {host, info, state} of optimizations) {
      if (state !== 'learning' || !info.watches) continue;
      const args = {launch: id, ref: {plugin: info.plugin, name: info.name}, directory: this.#directory, pid};
      void host.call('watch', args, {limit: watchLimit, signal: this.#of(id).end.signal});
    }
  }

  /** Ends what still runs for a launch and says what had come of it. */
  end(id: LaunchId): readonly WarmUpSeen[] {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.end.abort();
    return [...(running?.seen ?? [])];
  }

  #of(id: LaunchId): RunningWarmUps {
    const running = this.#running.get(id) ?? {end: new AbortController(), seen: []};
    this.#running.set(id, running);
    return running;
  }
}
