import type {PlanEdit} from '../model/plan.js';
import type {OptimizationState} from '../model/record.js';
import type {Arm} from '../savings/entry.js';
import type {Ledger, Subject} from '../savings/ledger.js';
import type {CallHost} from '../steps/call-host.js';
import {type SharedLaunch, stepName} from '../steps/messages.js';
import type {OfferedOptimization, OptimizationInfo} from '../steps/optimization-messages.js';
import {checkEdits} from './edit-shape.js';
import {indexOf} from './plugin-index.js';
import type {HostedPlugin} from './plugin-set.js';
import type {Preparations} from './preparations.js';

/** What the engine needs for optimizations. */
export interface OptimizationParts {
  /** Each optimization has a directory of its own below this one. */
  readonly directory: string;
  readonly ledger: Ledger;
  /** Only the daemon prepares: a front ends with its target. */
  readonly preparations?: Preparations;
}

/** An optimization in one launch. */
export interface ChosenOptimization {
  readonly host: CallHost;
  readonly info: OptimizationInfo;
  readonly subject: Subject;
  readonly state: OptimizationState;
  /** The launch belongs to a block of two of a trial. */
  readonly trial: boolean;
  readonly edits: readonly PlanEdit[];
}

export interface ChosenOptimizations {
  readonly chosen: readonly ChosenOptimization[];
  readonly edits: readonly PlanEdit[];
  readonly notes: readonly string[];
}

/** Which way a launch went, for the ledger; undefined where it has nothing to say there. */
export const armOf = ({state}: ChosenOptimization): Arm | undefined =>
  state === 'used' || state === 'held-back' ? state : undefined;

const none: ChosenOptimizations = {chosen: [], edits: [], notes: []};

/**
 * Asks the plugins what they can do for a launch and draws which of it is done. At most one optimization is held back: a
 * launch without two of them would tell nothing about either.
 */
export const chooseOptimizations = async (
  parts: OptimizationParts | undefined,
  plugins: readonly HostedPlugin[],
  launch: SharedLaunch,
  holdback: number,
): Promise<ChosenOptimizations> => {
  if (parts === undefined) return none;
  const {optimizers, optimizations: infos} = indexOf(plugins);
  if (optimizers.length === 0) return none;
  const notes: string[] = [];
  const chosen: ChosenOptimization[] = [];
  const args = {launch: launch.id, directory: parts.directory};
  const asked = await Promise.all(optimizers.map(async (host) => ({host, offered: await host.call('optimize', args)})));
  for (const {host, offered} of asked) {
    if (!offered.ok) notes.push(`${host.sources.map(({name}) => name).join(', ')}: ${offered.fault.detail}`);
    for (const offer of offered.ok ? offered.value : []) {
      const info = infos.find(({plugin, name}) => plugin === offer.ref.plugin && name === offer.ref.name);
      if (info === undefined) continue;
      if (offer.fault !== undefined) {
        notes.push(`${stepName(offer.ref)}: ${offer.fault}`);
        continue;
      }
      const mayHoldBack = !chosen.some(({state}) => state === 'held-back');
      chosen.push(choose(parts, {host, info, offer, launch, holdback, mayHoldBack}, notes));
    }
  }
  return {chosen, edits: chosen.flatMap(({edits}) => edits), notes};
};

interface Choice {
  readonly host: CallHost;
  readonly info: OptimizationInfo;
  readonly offer: OfferedOptimization;
  readonly launch: SharedLaunch;
  readonly holdback: number;
  readonly mayHoldBack: boolean;
}

const choose = (parts: OptimizationParts, choice: Choice, notes: string[]): ChosenOptimization => {
  const {host, info, offer, launch, holdback, mayHoldBack} = choice;
  const name = stepName(offer.ref);
  const subject: Subject = {digest: offer.subject, name, label: offer.label, prepared: offer.prepared ?? ''};
  const base = {host, info, subject, trial: false, edits: []};
  const {without} = launch.options;
  if (without.includes(name) || without.includes(info.plugin)) return {...base, state: 'left-out'};
  if (offer.use === undefined) {
    const learns = info.prepares && parts.preparations?.mayPrepare(offer.subject) === true;
    return {...base, state: learns ? 'learning' : 'not-prepared', edits: learns ? edits(offer.learn, name, notes) : []};
  }
  const {arm, trial} = parts.ledger.draw(subject, mayHoldBack ? holdback : 0);
  return {...base, state: arm, trial, edits: arm === 'used' ? edits(offer.use, name, notes) : []};
};

const edits = (offered: unknown, name: string, notes: string[]): readonly PlanEdit[] => {
  const checked = checkEdits(offered ?? []);
  if (checked.broken > 0) notes.push(`${name}: ${checked.broken} of its plan edits are not ones`);
  return checked.edits;
};
