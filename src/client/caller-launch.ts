import type {LaunchRequest} from '../model/launch.js';
import {systemClock} from '../system/clock.js';
import {entryVariable, stdioKind} from './entry-state.js';
import {workingDirectory} from './working-directory.js';

/** The launch that `bootcut ...tokens` would be, typed here and now: for looking at it, not for running it. */
export const callerLaunch = (tokens: readonly string[]): LaunchRequest => {
  const now = systemClock.now();
  const env = Object.entries(process.env).filter(([name]) => name !== entryVariable);
  return {
    argv: tokens.map((token) => Buffer.from(token)),
    env: env.map(([name, value]) => Buffer.from(`${name}=${value ?? ''}`)),
    cwd: Buffer.from(workingDirectory().path),
    stdio: [stdioKind(0, []), stdioKind(1, []), stdioKind(2, [])],
    execAt: now,
    frontAt: now,
    sentAt: now,
    pid: process.pid,
    front: 'node',
    mergedOutput: false,
  };
};
