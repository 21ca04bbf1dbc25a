import {symlinkSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';
import type {CommandUse} from '../model/first-use.js';
import type {PlanEdit} from '../model/plan.js';
import type {SharedLaunch} from '../steps/messages.js';
import {findExecutable} from '../system/find-executable.js';
import type {Question} from './asking.js';
import type {OpenPlace, OpenTriggers} from './first-use-place.js';
import {endRuns, FirstUseRun} from './first-use-run.js';
import {readCommandUse} from './use-shape.js';

/** Where a command is looked for without a PATH: what the C libraries take (confstr, _CS_PATH). */
const defaultPath = '/bin:/usr/bin';

/** A command and the steps that wait for it. */
interface Waiting {
  readonly command: string;
  readonly runs: readonly FirstUseRun<CommandUse>[];
}

/**
 * Puts a shim in front of each command: a link to our program in a directory in front of PATH, and one beside it that says
 * where to ask. Once there is nothing to ask any more that one goes, and the shim goes straight on to the real command.
 */
export const openCommands: OpenTriggers = async (questions, {launch, clock, place}) => {
  const waiting = groups(questions, (question) => new FirstUseRun(question, clock, readCommandUse));
  const runs = waiting.flatMap((group) => group.runs);
  const there = waiting.filter(({command, runs: own}) => isInstalled(launch, command, own));
  const opened = there.length === 0 ? undefined : await place.open();
  if (opened === undefined) {
    for (const run of there.flatMap((group) => group.runs)) run.refuse('no-place', 'there is no place for a shim');
  } else {
    for (const group of there) putShim(group, opened);
  }
  return {
    steps: runs.map(({step}) => step),
    edits: opened === undefined ? [] : [pathEdit(launch, join(opened.directory, 'bin'))],
    end: async () => await endRuns(runs),
    close: async () => undefined,
  };
};

const groups = (
  questions: readonly Question[],
  begin: (question: Question) => FirstUseRun<CommandUse>,
): readonly Waiting[] => {
  const byCommand = new Map<string, FirstUseRun<CommandUse>[]>();
  for (const question of questions) {
    const {trigger} = question.info;
    if (trigger === undefined || !('command' in trigger)) continue;
    byCommand.set(trigger.command, [...(byCommand.get(trigger.command) ?? []), begin(question)]);
  }
  return [...byCommand].map(([command, runs]) => ({command, runs}));
};

/** A shim for what is not there would tell scripts that it is. */
const isInstalled = (launch: SharedLaunch, command: string, runs: Waiting['runs']): boolean => {
  if (findExecutable(launch, command) !== undefined) return true;
  for (const {step} of runs) {
    Object.assign(step, {reason: 'not-installed', detail: `${command} is not on the PATH of this launch`});
  }
  return false;
};

const putShim = ({command, runs}: Waiting, {program, directory, channel}: OpenPlace): void => {
  const link = join(directory, 'asks', command);
  const limit = Math.max(...runs.map(({step}) => step.question.info.limit));
  symlinkSync(`${Math.ceil(limit)}:${channel.path}`, link);
  symlinkSync(program, join(directory, 'bin', command));
  let isOver = false;
  channel.on(`command ${command}`, async () => {
    const uses = await Promise.all(runs.map(async (run) => await run.use()));
    const variables = uses.flatMap((use) => Object.entries(use?.env ?? {}));
    if (variables.length === 0 && !isOver) {
      isOver = true;
      removeLink(link);
    }
    return Buffer.from(variables.map(([name, value]) => `${name}=${value}\0`).join(''));
  });
};

const removeLink = (link: string): void => {
  try {
    unlinkSync(link);
  } catch {
    // the launch is over, and everything of it is gone
  }
};

const pathEdit = ({env}: SharedLaunch, directory: string): PlanEdit => ({
  kind: 'prepend-path',
  name: 'PATH',
  value: env['PATH'] === undefined ? `${directory}:${defaultPath}` : directory,
});
