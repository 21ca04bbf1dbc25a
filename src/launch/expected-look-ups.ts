import type {AnswerCache} from '../cache/answer-cache.js';
import {lookUpConnections} from '../model/record.js';
import {type LaunchId, ms} from '../model/units.js';
import type {CallHost} from '../steps/call-host.js';
import type {SharedLaunch, StepInfo, StepRef} from '../steps/messages.js';
import type {Clock} from '../system/clock.js';
import {keepingOf, questionKey} from './asking.js';
import type {PreparedLaunch} from './prepare.js';
import type {WarmUpRun, WarmUpSeen} from './warm-up-run.js';

/** Longer than any connection is held. */
const connectLimit = ms(65_000);

/** Look-ups of one plugin thread that say whom they ask. */
export interface AskingSteps {
  readonly host: CallHost;
  readonly infos: readonly StepInfo[];
}

/** What a launch of this kind may have to ask, and whom its plugins know. */
export const askingSteps = ({steps}: Pick<PreparedLaunch, 'steps'>): readonly AskingSteps[] => {
  const byHost = new Map<CallHost, Set<StepInfo>>();
  for (const {question} of steps) {
    if (question.info.asks !== true) continue;
    const infos = byHost.get(question.host) ?? new Set();
    byHost.set(question.host, infos.add(question.info));
  }
  return [...byHost].map(([host, infos]) => ({host, infos: [...infos]}));
};

export interface LookUpParts {
  readonly cache: AnswerCache;
  readonly clock: Clock;
}

/**
 * Connects ahead of a launch that is expected to whom its look-ups would ask. Only where they would: what is fresh or stale
 * is used as it is, and what has failed lately is not asked for. The keys are made anew, since an account may have changed.
 * `due` says whether there was anything to do.
 */
export const connectAheadOf = (
  parts: LookUpParts,
  launch: SharedLaunch,
  asking: readonly AskingSteps[],
): WarmUpRun & {readonly due: Promise<boolean>} => {
  const {clock} = parts;
  const [from, end] = [clock.now(), new AbortController()];
  let seen: WarmUpSeen | undefined;
  const missing = Promise.all(
    asking.map(async ({host, infos}) => ({host, refs: await missingOf(parts, launch.id, host, infos)})),
  ).then((found) => found.filter(({refs}) => refs.length > 0));
  const ended = missing.then(async (found) => {
    const said = await Promise.all(
      found.map(async ({host, refs}) => {
        const options = {limit: connectLimit, signal: end.signal};
        const result = await host.call('connect', {launch: launch.id, refs}, options);
        return result.ok && typeof result.value === 'object' && !Array.isArray(result.value) ? result.value : {};
      }),
    );
    const all = Object.assign({}, ...said) as Record<string, never>;
    if (Object.keys(all).length > 0) seen = {name: lookUpConnections, from, to: clock.now(), said: all};
  });
  const quiet = ended.catch(() => undefined);
  const due = missing.then(
    (found) => found.length > 0,
    () => false,
  );
  return {subject: '', end, seen: () => seen, ended: quiet, due};
};

/** Which of these questions a launch that began now would have to ask. */
const missingOf = async (
  {cache}: LookUpParts,
  launch: LaunchId,
  host: CallHost,
  infos: readonly StepInfo[],
): Promise<readonly StepRef[]> => {
  const inspected = await host.call('inspect', {launch, steps: infos.map(({plugin, name}) => ({plugin, name}))});
  if (!inspected.ok) return [];
  const refs = await Promise.all(
    inspected.value.map(async (item) => {
      const info = infos.find(({plugin, name}) => plugin === item.ref.plugin && name === item.ref.name);
      if (item.kind !== 'wanted' || item.key === '' || info === undefined) return [];
      const key = questionKey(item.ref, item.key);
      const {state} = await cache.look(key, keepingOf({host, info, ref: item.ref, launch, key}));
      return state === 'missing' && (await cache.recentFailure(key)) === undefined ? [item.ref] : [];
    }),
  );
  return refs.flat();
};
