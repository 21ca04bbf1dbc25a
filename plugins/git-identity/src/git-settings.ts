import {type Launch, type ReadTools, run} from 'bootcut/plugin';
import {malformed} from './identity.js';

/** One line of git's configuration as it holds somewhere. */
export interface Setting {
  /** Where it stands: `file:PATH` or `command line:`. */
  readonly origin: string;
  /** Section and variable in lower case; the middle part as written. */
  readonly key: string;
  readonly value: string;
}

/** From where git is asked: a directory, and changes to the launch's environment. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Nothing that a hostile repository configures may start a program, and git shall not write traces of questions that
 * the user did not ask. GIT_CONFIG would make `git config` read another file than the rest of git does, and a bad
 * date would have git refuse to name the author.
 */
const calm = {
  GIT_CONFIG: undefined,
  GIT_AUTHOR_DATE: undefined,
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_TRACE: undefined,
  GIT_TRACE_SETUP: undefined,
  GIT_TRACE2: undefined,
  GIT_TRACE2_EVENT: undefined,
  GIT_TRACE2_PERF: undefined,
};

const careful = ['core.fsmonitor=', 'core.hooksPath=/dev/null', 'core.pager=cat', 'core.editor=:'].flatMap(
  (setting) => ['-c', setting],
);

/** Runs a git command that only reads. */
export const askGit = async (launch: Launch, place: Place, args: readonly string[], signal: AbortSignal) =>
  await run(launch, ['git', '--no-pager', ...careful, ...args], {
    signal,
    cwd: place.cwd,
    env: {...calm, ...place.env},
  });

const wanted = String.raw`^((user|author)\.(name|email)|include\.path|includeif\..*\.path)$`;

/** Lists what is configured at a place about authors, and which files are included there or would be. */
export const listSettings = async (
  launch: Launch,
  place: Place,
  {signal}: Pick<ReadTools, 'signal'>,
): Promise<readonly Setting[]> => {
  const result = await askGit(launch, place, ['config', '--show-origin', '-z', '--get-regexp', wanted], signal);
  // 1 means that nothing matched.
  if (result.code !== 0 && result.code !== 1) throw malformed('git cannot read its configuration here');
  return parseSettings(result.stdout);
};

/** `ORIGIN NUL KEY LF VALUE NUL`, again and again; a variable without `=` has neither line feed nor value. */
const parseSettings = (text: string): readonly Setting[] => {
  const fields = text.split('\0');
  return fields.flatMap((origin, index) => {
    const entry = fields[index + 1];
    if (index % 2 === 1 || entry === undefined) return [];
    const [key = '', ...lines] = entry.split('\n');
    return [{origin, key, value: lines.join('\n')}];
  });
};
