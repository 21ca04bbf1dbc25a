import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {requireProgram, run} from './program.js';
import {temporaryDirectory} from './temporary-directory.js';

export type ProjectOptions = {
  /** Git remotes by name; the project is no repository when there are none. */
  readonly remotes?: Readonly<Record<string, string>>;
  /** Global git identity of the home. */
  readonly gitUser?: {readonly name: string; readonly email: string};
};

export type Project = AsyncDisposable & {
  readonly home: string;
  /** Working directory of a launch. */
  readonly dir: string;
  /** agent-vm's state root, also in `env`. */
  readonly state: string;
  /** A small environment: PATH, HOME and the state root. Nothing of the developer's own. */
  readonly env: Readonly<Record<string, string>>;
};

/** A home and a project of its own for one test. */
export async function makeProject({remotes = {}, gitUser}: ProjectOptions = {}): Promise<Project> {
  const git = requireProgram('git', 'git');
  const root = await temporaryDirectory('project');
  const [home, dir, state] = [join(root, 'home'), join(root, 'work'), join(root, 'state')];
  await mkdir(home);
  await mkdir(dir);
  const env = {PATH: process.env['PATH'] ?? '', HOME: home, AGENT_VM_STATE_DIR: state};
  if (gitUser !== undefined) {
    await writeFile(join(home, '.gitconfig'), `[user]\n\tname = ${gitUser.name}\n\temail = ${gitUser.email}\n`);
  }
  if (Object.keys(remotes).length > 0) await run([git, 'init', '-q', dir], {env});
  for (const [name, url] of Object.entries(remotes)) await run([git, '-C', dir, 'remote', 'add', name, url], {env});
  return {
    home,
    dir,
    state,
    env,
    [Symbol.asyncDispose]: () => rm(root, {recursive: true, force: true}),
  };
}
