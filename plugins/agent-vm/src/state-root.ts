import {join, resolve} from 'node:path';
import type {Launch} from 'bootcut/plugin';

/** Where agent-vm keeps its state for a launch, and why there. */
export interface StateRoot {
  /** Absolute directory; undefined when no rule applies (agent-vm then refuses to start). */
  readonly path: string | undefined;
  /** The variable that decided. */
  readonly rule: 'AGENT_VM_STATE_DIR' | 'XDG_STATE_HOME' | 'HOME' | 'none';
  /** One line for the user when the rule has a trap. */
  readonly warning: string | undefined;
}

/**
 * agent-vm's state root by its own rules: AGENT_VM_STATE_DIR verbatim, else `agent-vm` below XDG_STATE_HOME, else
 * `~/.local/state/agent-vm`. A variable set to nothing counts as set, and gives a root relative to the current directory.
 */
export const stateRoot = (launch: Pick<Launch, 'env' | 'cwd'>): StateRoot => {
  const {env, cwd} = launch;
  const rule = (['AGENT_VM_STATE_DIR', 'XDG_STATE_HOME', 'HOME'] as const).find((name) => env[name] !== undefined);
  const value = rule === undefined ? undefined : env[rule];
  if (rule === undefined || value === undefined) return {path: undefined, rule: 'none', warning: undefined};
  const path = resolve(cwd, join(value, below[rule]));
  return {path, rule, warning: value === '' ? emptyWarning(rule, path) : undefined};
};

const below = {AGENT_VM_STATE_DIR: '', XDG_STATE_HOME: 'agent-vm', HOME: '.local/state/agent-vm'};

const emptyWarning = (rule: string, path: string): string =>
  `${rule} is set to nothing, which agent-vm takes as a directory: its state is in ${path}; unset ${rule} to get the default`;
