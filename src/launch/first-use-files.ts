import {type ChildProcess, spawn} from 'node:child_process';
import {mkdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import type {FileUse} from '../model/first-use.js';
import type {PlanEdit} from '../model/plan.js';
import {type LaunchId, ms} from '../model/units.js';
import type {SharedLaunch} from '../steps/messages.js';
import {isRunning} from '../system/is-running.js';
import {after, type Question} from './asking.js';
import type {OpenPlace, OpenTriggers} from './first-use-place.js';
import {endRuns, FirstUseRun} from './first-use-run.js';
import {memoryDirectory} from './memory-directory.js';
import {readFileUse} from './use-shape.js';

/** How long the keeper of files may take to make them, and to leave; it takes 1 ms. */
const patience = ms(1000);

/** In capital letters, so that it is told from a path. */
const variable = /^[A-Z_][A-Z0-9_]*$/;

/** One file: where it is wanted, and where it is. */
interface WantedFile {
  readonly run: FirstUseRun<FileUse>;
  readonly wanted: string;
  readonly file: string;
}

/**
 * Puts a link to a file in memory in the place of each. A process of ours holds a lease on them: the kernel lets whoever
 * opens one wait until it has written the content, and nobody has to wait for ever, for a lease ends with its process.
 */
export const openFiles: OpenTriggers = async (questions, {launch, clock, place}) => {
  const runs = questions.map((question) => new FirstUseRun(question, clock, readFileUse));
  const opened = await place.open();
  const directory = opened === undefined ? undefined : makeDirectory(dirname(opened.channel.path), launch.id);
  const files = runs.map((run, index) => ({
    run,
    wanted: wantedOf(run.step.question),
    file: join(directory ?? '', String(index)),
  }));
  const keeper =
    opened === undefined || directory === undefined ? undefined : await startKeeper(opened, directory, files);
  const put = files.map((file) => (keeper === undefined ? noKeeper(file) : putFile(file, launch)));
  return {
    steps: runs.map(({step}) => step),
    edits: put.flatMap(({edits}) => edits),
    end: async () => await endRuns(runs),
    close: async () => {
      for (const {remove} of put) remove();
      if (keeper !== undefined) await endKeeper(keeper);
      if (directory !== undefined) rmSync(directory, {recursive: true, force: true});
    },
  };
};

/** Named like everything of one launch, so that the next daemon finds what a killed one has left. */
const makeDirectory = (sockets: string, launch: LaunchId): string | undefined => {
  const memory = memoryDirectory(sockets);
  if (memory === undefined) return undefined;
  const directory = join(memory, `first-use-files-${process.pid}-${launch}`);
  try {
    mkdirSync(directory, {mode: 0o700});
    return directory;
  } catch {
    return undefined;
  }
};

const wantedOf = ({info: {trigger}}: Question): string =>
  trigger !== undefined && 'file' in trigger ? trigger.file : '';

interface PutFile {
  readonly edits: readonly PlanEdit[];
  readonly remove: () => void;
}

const nothing: PutFile = {edits: [], remove: () => undefined};

const noKeeper = ({run}: WantedFile): PutFile => {
  run.refuse('no-place', 'there is no place in memory for its file, or no program of ours to keep it');
  return nothing;
};

const putFile = ({run, wanted, file}: WantedFile, {env, cwd}: SharedLaunch): PutFile => {
  if (variable.test(wanted)) return {...nothing, edits: [{kind: 'set-env', name: wanted, value: file}]};
  const path = wanted.startsWith('~/') ? join(env['HOME'] ?? '/nonexistent', wanted.slice(2)) : resolve(cwd, wanted);
  try {
    removeLeftLink(path);
    symlinkSync(file, path);
  } catch (error) {
    run.refuse('taken', `${path} cannot be put there (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    return nothing;
  }
  return {...nothing, remove: () => removeLink(path, (target) => target === file)};
};

/** A link of a launch whose process was killed hard; one of a launch that goes on stays. */
const removeLeftLink = (path: string): void =>
  removeLink(path, (target) => {
    const pid = Number(/\/first-use-files-(\d+)-\w+\/\d+$/.exec(target)?.[1] ?? Number.NaN);
    return pid > 1 && pid !== process.pid && !isRunning(pid);
  });

const removeLink = (path: string, isOurs: (target: string) => boolean): void => {
  try {
    if (isOurs(readlinkSync(path))) unlinkSync(path);
  } catch {
    // nothing there, or no link
  }
};

const startKeeper = async (
  {program, directory, channel}: OpenPlace,
  filesDirectory: string,
  files: readonly WantedFile[],
): Promise<ChildProcess | undefined> => {
  const holder = join(directory, 'asks', '.files');
  const limit = Math.max(...files.map(({run}) => run.step.question.info.limit));
  symlinkSync(`${Math.ceil(limit)}:${channel.path}`, holder);
  for (const [index, {run}] of files.entries()) {
    channel.on(`file ${index}`, async () => {
      const use = await run.use();
      return use === undefined ? undefined : Buffer.from(use.text);
    });
  }
  // In a session of its own: the keys of a terminal are for the target. It leaves when its stdin ends, however we do.
  const keeper = spawn(program, ['files', holder, filesDirectory, String(files.length)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  keeper.unref();
  keeper.stdin.on('error', () => undefined);
  (keeper.stdin as unknown as {unref: () => void}).unref();
  const overdue = after(patience);
  const ready = new Promise<boolean>((done) => {
    keeper.once('error', () => done(false));
    keeper.once('exit', () => done(false));
    keeper.stdout.once('data', () => done(true));
    void overdue.done.then(() => done(false));
  });
  const isReady = await ready;
  overdue.cancel();
  keeper.stdout.destroy();
  if (isReady) return keeper;
  keeper.kill('SIGKILL');
  return undefined;
};

const endKeeper = async (keeper: ChildProcess): Promise<void> => {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const ended = new Promise<void>((done) => keeper.once('exit', () => done()));
  keeper.stdin?.destroy();
  const overdue = after(patience);
  if ((await Promise.race([ended, overdue.done])) === 'late') keeper.kill('SIGKILL');
  overdue.cancel();
};
