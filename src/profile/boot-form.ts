import type {LaunchRecord} from '../model/record.js';
import {toMicro} from '../model/units.js';
import {medianOf} from './statistics.js';

/**
 * How a launch came by its VM: booted in the launch, restored from a saved one, one that waited paused, or one that
 * another launch had booted.
 */
export type BootForm = 'cold' | 'restored' | 'paused' | 'joined';

/** What a runtime with a VM of its own says at that moment; docs of writing a runtime name them. */
const milestones: Readonly<Record<string, BootForm>> = {
  'vm-started': 'cold',
  'vm-restored': 'restored',
  'vm-resumed': 'paused',
  'vm-joined': 'joined',
};

/** Undefined where the runtime has no VM, or says nothing of it. The last counts: what was of no use was left for it. */
export const bootForm = ({milestones: said}: Pick<LaunchRecord, 'milestones'>): BootForm | undefined =>
  [...said]
    .sort((one, other) => one.at - other.at)
    .flatMap(({name}) => milestones[name] ?? [])
    .at(-1);

/** What the boots of one form have taken on this machine. */
export interface BootFormRow {
  readonly form: BootForm;
  readonly runtime: string;
  /** Launches whose command ran. */
  readonly launches: number;
  /** Median of the phase `boot`, milliseconds. */
  readonly bootMs: number;
}

const order: readonly BootForm[] = ['paused', 'restored', 'cold', 'joined'];

/** One row for each form and runtime that there is a launch of, the quickest kind first. */
export const bootForms = (records: readonly LaunchRecord[]): readonly BootFormRow[] => {
  const kinds = new Map<string, {readonly form: BootForm; readonly runtime: string; readonly took: number[]}>();
  for (const record of records) {
    const form = bootForm(record);
    const boot = record.phases.find(({name}) => name === 'boot');
    if (form === undefined || boot === undefined || !record.phases.some(({name}) => name === 'run')) continue;
    const kind = kinds.get(`${record.runtime} ${form}`) ?? {form, runtime: record.runtime, took: []};
    kind.took.push(boot.to - boot.from);
    kinds.set(`${record.runtime} ${form}`, kind);
  }
  return [...kinds.values()]
    .sort((one, other) => order.indexOf(one.form) - order.indexOf(other.form))
    .map(({form, runtime, took}) => ({form, runtime, launches: took.length, bootMs: toMicro(medianOf(took))}));
};
