import {spawn} from 'node:child_process';
import {poll} from './poll.js';
import type {Watch} from './watch.js';

/** Between the end of a failed try and the next, in milliseconds. */
const gapMs = 50;

/** A try that takes longer is ended and counts as failed, in milliseconds. */
const tryLimit = 5000;

/** A command that succeeds, in the target's environment and directory. Nobody can tell us when, so it is tried again and again. */
export const watchExec = (command: readonly string[]): Watch => {
  let last = 'it was not tried yet';
  return {
    until: async ({env, cwd, startedAt}, signal) => {
      const look = async (): Promise<true | undefined> => {
        const outcome = await attempt(command, env, cwd, signal);
        last = outcome.text;
        return outcome.ok ? true : undefined;
      };
      const {at, slack} = await poll(gapMs, look, startedAt, signal);
      return {at, slack, detail: command.join(' ')};
    },
    seen: () => `${command[0] ?? ''} ${last}`,
  };
};

const attempt = (
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  signal: AbortSignal,
): Promise<{readonly ok: boolean; readonly text: string}> =>
  new Promise((resolve) => {
    const child = spawn(file, args, {env, cwd, stdio: 'ignore', signal, killSignal: 'SIGKILL', timeout: tryLimit});
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ok: false, text: `cannot be run (${error.code ?? error.message})`}),
    );
    child.once('exit', (code, by) =>
      resolve({ok: code === 0, text: by === null ? `ended with ${code ?? 0}` : `was ended by ${by}`}),
    );
  });
