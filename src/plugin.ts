/**
 * The public entry for plugin authors: everything a plugin may import of bootcut.
 */
import type {Json} from './model/json.js';
import type {Optimization} from './model/optimization.js';
import type {ActionStep, CheckStep, LookupStep, Plugin, Runtime, SecretStep} from './model/step.js';

export type {
  CommandTrigger,
  CommandUse,
  FileTrigger,
  FileUse,
  PortTrigger,
  PortUse,
  Trigger,
} from './model/first-use.js';
export type {Json} from './model/json.js';
export type {Launch, LaunchOptions, ProgramHosts, StdioKind, Updatable} from './model/launch.js';
export type {
  Optimization,
  OptimizationPlan,
  OptimizationTools,
  OptimizationWork,
  Preparation,
  WarmUpWork,
} from './model/optimization.js';
export type {PlanEdit, StandbySpec} from './model/plan.js';
export type {Outcome} from './model/record.js';
export type {
  ActionStep,
  Barrier,
  BarrierAction,
  CheckStep,
  DerivedSpan,
  Finding,
  FirstUseAction,
  KeyPart,
  LookupStep,
  Milestone,
  Observation,
  ObservedLine,
  PhaseMarks,
  Plugin,
  ReadTools,
  Runtime,
  RuntimeVariant,
  SecretStep,
  Step,
  Tagged,
  Unchanged,
} from './model/step.js';
export type {LaunchId, Milliseconds, Moment} from './model/units.js';
export {days, hours, minutes, ms, seconds} from './model/units.js';
export {findGitRepository, type GitRepository, gitConfigFiles} from './steps/git-files.js';
export {githubClient} from './steps/github-client.js';
export {githubReposEdits, gitIdentityEdits} from './steps/handed-on.js';
export {httpClient} from './steps/http-client.js';
export {NoAnswer} from './steps/no-answer.js';
export {type RunOptions, type RunResult, run} from './steps/run.js';
export {hashed} from './system/digest.js';
export {absentIdentity, directoryIdentity, safeFileIdentity as fileIdentity} from './system/file-identity.js';
export {findExecutable} from './system/find-executable.js';
export {type LaunchProgram, launchProgram} from './system/launch-program.js';
export {isOwnPeer} from './system/own-peer.js';
export {scriptLine} from './system/script-line.js';

/** Types a plugin; returns it unchanged. */
export const definePlugin = <const P extends Plugin>(plugin: P): P => plugin;

/** A slow question whose checked answer is cached. See {@link LookupStep}. */
export const lookup = <Value extends Json>(step: Omit<LookupStep<Value>, 'kind'>): LookupStep<Value> => ({
  kind: 'lookup',
  ...step,
});

/** A question that only reports and that nobody waits for. See {@link CheckStep}. */
export const check = <Value extends Json>(step: Omit<CheckStep<Value>, 'kind'>): CheckStep<Value> => ({
  kind: 'check',
  ...step,
});

/** A value that is never stored, logged or shown. See {@link SecretStep}. */
export const secret = (step: Omit<SecretStep, 'kind'>): SecretStep => ({kind: 'secret', ...step});

/** Something that must happen at every launch, or before its first use. See {@link ActionStep}. */
export const action = (step: WithoutKind<ActionStep>): ActionStep => ({kind: 'action', ...step});

/** Of each member of a union by itself. */
type WithoutKind<Step> = Step extends unknown ? Omit<Step, 'kind'> : never;

/** Types a runtime; returns it unchanged. */
export const defineRuntime = (runtime: Runtime): Runtime => runtime;

/** Types an optimization; returns it unchanged. */
export const defineOptimization = (optimization: Optimization): Optimization => optimization;
