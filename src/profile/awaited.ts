import type {StepRecord} from '../model/record.js';

/** Does the start of a phase wait for this step? For a check nothing waits; one put off to its first use runs later. */
export const isAwaited = ({barrier}: Pick<StepRecord, 'barrier'>): boolean => barrier === 'boot' || barrier === 'run';
