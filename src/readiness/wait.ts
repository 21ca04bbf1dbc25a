import type {Moment} from '../model/units.js';
import type {Condition} from './condition.js';
import {watchExec} from './exec.js';
import {watchFile} from './file.js';
import {watchHttp} from './http.js';
import {watchLog} from './log.js';
import {watchLogFile} from './log-file.js';
import {watchPort} from './port.js';
import {watchScreen} from './screen.js';
import {watchSettled} from './settled.js';
import type {Met, Slack, TellEarlier, Watch, WatchedTarget} from './watch.js';

/** A condition with its wait. */
export interface ArmedCondition {
  readonly condition: Condition;
  readonly watch: Watch;
}

/** Prepares the waits of a launch that is about to start: looks at what is there already. */
export const armConditions = (conditions: readonly Condition[], cwd: string): readonly ArmedCondition[] =>
  conditions.map((condition) => ({condition, watch: watchOf(condition, cwd)}));

const watchOf = (condition: Condition, cwd: string): Watch => {
  switch (condition.kind) {
    case 'port':
      return watchPort(condition.port, condition.host, cwd);
    case 'http':
      return watchHttp(condition.url, condition, cwd);
    case 'log':
      return watchLog(condition.stream, condition.pattern);
    case 'log-file':
      return watchLogFile(condition.path, condition.pattern, condition.old, cwd);
    case 'file':
      return watchFile(condition.path, condition, cwd);
    case 'exec':
      return watchExec(condition.command);
    case 'settled':
      return watchSettled(condition);
    case 'screen':
      return watchScreen(condition);
  }
};

/** Does a wait read along with this stream of the target's? */
export const readsOutput = (condition: Condition, stream: 'stdout' | 'stderr'): boolean => {
  if (condition.kind === 'log') return condition.stream === stream || condition.stream === 'either';
  return condition.kind === 'settled' && condition.observable.kind === 'output';
};

/** Waits for each condition by itself and tells of it as soon as it is met. */
export const waitForEach = (
  armed: readonly ArmedCondition[],
  target: WatchedTarget,
  signal: AbortSignal,
  hooks: {
    readonly onMet: (condition: Condition, met: Met) => void;
    /** `up listening` before `up`. */
    readonly onEarlier: (name: string, at: Moment, slack: Slack) => void;
  },
): void => {
  for (const {condition, watch} of armed) {
    const tell: TellEarlier = (name, at, slack) => {
      if (!signal.aborted) hooks.onEarlier(`${condition.name} ${name}`, at, slack);
    };
    void watch.until(target, signal, tell).then((met) => {
      if (!signal.aborted) hooks.onMet(condition, met);
    });
  }
};

/** What has been seen of those that are not met, a line each. */
export const unmetLines = (armed: readonly ArmedCondition[], met: ReadonlySet<Condition>): readonly string[] =>
  armed.flatMap(({condition, watch}) => (met.has(condition) ? [] : [`${condition.name}: ${watch.seen()}`]));
