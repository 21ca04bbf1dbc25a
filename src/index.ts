/**
 * The public entry for scripts that read what bootcut prints with `--json` or keeps on disk. Types only: nothing here
 * runs. What a plugin may use is in `bootcut/plugin`.
 */
export type {Json} from './model/json.js';
export type {
  Interval,
  LaunchRecord,
  Outcome,
  PhaseName,
  PhaseRecord,
  StepRecord,
  StepState,
} from './model/record.js';
export type {Barrier} from './model/step.js';
export type {LaunchId, Milliseconds, WallTime} from './model/units.js';
