import {type LaunchId, ms} from '../model/units.js';
import type {PreparedLaunch} from './prepare.js';
import {beginWarmUp, type WarmUpPlace, type WarmUpRun, type WarmUpSeen} from './warm-up-run.js';

/** Longest time a target is looked at, to learn from it. */
const watchLimit = ms(60_000);

/** What runs beside one launch. */
interface Running {
  /** Of what looks at the target. */
  readonly end: AbortController;
  readonly runs: readonly WarmUpRun[];
}

/** Warm-ups run beside their launch and end with it at the latest; nobody waits for them. */
export class WarmUps {
  readonly #place: WarmUpPlace;
  readonly #running = new Map<LaunchId, Running>();

  constructor(place: WarmUpPlace) {
    this.#place = place;
  }

  /** Takes over what has been begun ahead of this launch, and begins the rest. */
  start({launch: {id}, optimizations}: PreparedLaunch, ahead: readonly WarmUpRun[]): void {
    const wanted = optimizations.filter(({state, info}) => info.warmsUp && (state === 'used' || state === 'learning'));
    const missing = wanted.filter(({subject}) => ahead.every((run) => run.subject !== subject.digest));
    const runs = [...ahead, ...missing.map((chosen) => beginWarmUp(this.#place, id, chosen, false))];
    if (runs.length > 0) this.#running.set(id, {end: new AbortController(), runs});
  }

  /** The target of a launch runs: what is learnt from it begins to look. */
  watch({launch: {id}, optimizations}: PreparedLaunch, pid: number): void {
    for (const {host, info, state} of optimizations) {
      if (state !== 'learning' || !info.watches) continue;
      const running = this.#running.get(id) ?? {end: new AbortController(), runs: []};
      this.#running.set(id, running);
      const ref = {plugin: info.plugin, name: info.name};
      const args = {launch: id, ref, directory: this.#place.directory, pid};
      void host.call('watch', args, {limit: watchLimit, signal: running.end.signal});
    }
  }

  /** Ends what still runs for a launch and says what had come of it. */
  end(id: LaunchId): readonly WarmUpSeen[] {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.end.abort();
    return (running?.runs ?? []).flatMap((run) => {
      const seen = run.seen();
      run.end.abort();
      return seen === undefined ? [] : [seen];
    });
  }
}
