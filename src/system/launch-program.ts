import {realpathSync} from 'node:fs';
import {findExecutable} from './find-executable.js';
import {scriptLine} from './script-line.js';

/** The program that a launch starts. */
export interface LaunchProgram {
  /** As PATH has it: in a virtual environment it is a link, and the link decides which packages there are. */
  readonly path: string;
  /** The file itself. */
  readonly real: string;
  /** Its first line, `#!` included, where it is a script. */
  readonly line: string | undefined;
}

interface Started {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Within one round of questions the answer is the same: each plugin would ask the system for it anew. */
let round:
  | {readonly env: Started['env']; readonly name: string; readonly program: LaunchProgram | undefined}
  | undefined;
let inRound = false;

/** The program of a launch, found as `execvp` finds it; undefined where there is none. */
export const launchProgram = (launch: Started): LaunchProgram | undefined => {
  const name = launch.argv[0] ?? '';
  if (round?.env === launch.env && round.name === name) return round.program;
  const program = find(launch, name);
  if (inRound) round = {env: launch.env, name, program};
  return program;
};

/** Asks something of all plugins about one launch, at once: its program is looked for but once meanwhile. */
export const inOneRound = <Answer>(ask: () => Answer): Answer => {
  inRound = true;
  try {
    return ask();
  } finally {
    inRound = false;
    round = undefined;
  }
};

const find = (launch: Started, name: string): LaunchProgram | undefined => {
  const path = findExecutable(launch, name);
  if (path === undefined) return undefined;
  try {
    const real = realpathSync.native(path);
    return {path, real, line: scriptLine(real)};
  } catch {
    return undefined;
  }
};
