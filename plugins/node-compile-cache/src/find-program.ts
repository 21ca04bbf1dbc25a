import {realpathSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {findExecutable, type Launch, launchProgram} from 'bootcut/plugin';

/** A JavaScript program as a launch starts it. */
export interface NodeProgram {
  /** The real file of the node that runs it. */
  readonly node: string;
  /** Its options for node, before the program. */
  readonly options: readonly string[];
  /** The real file of the program. */
  readonly script: string;
}

/** Which JavaScript file a launch ends up in: `node FILE`, or a script that names node, as npm's links in `bin` do. */
export const findProgram = (launch: Launch): NodeProgram | undefined => {
  const program = launchProgram(launch);
  if (program === undefined) return undefined;
  const {real, line = ''} = program;
  if (basename(real) === 'node') return fromArguments(launch, real, launch.argv.slice(1));
  const shebang = /^#! ?(?:\/usr\/bin\/env (?:-S )?(node)|(\/\S*\/node))(?: (.*))?$/.exec(line);
  if (shebang === null) return undefined;
  const [, byName, byPath, options = ''] = shebang;
  const node = realFile(findExecutable(launch, byName ?? byPath ?? ''));
  if (node === undefined || basename(node) !== 'node') return undefined;
  return {node, options: options.split(' ').filter((option) => option !== ''), script: real};
};

/** The first item that is no option is the program; options with a value of their own are written with `=` often enough. */
const fromArguments = (launch: Launch, node: string, args: readonly string[]): NodeProgram | undefined => {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const script = realFile(resolve(launch.cwd, args[at] ?? ''));
  return at === -1 || script === undefined ? undefined : {node, options: args.slice(0, at), script};
};

const realFile = (path: string | undefined): string | undefined => {
  try {
    return path === undefined ? undefined : realpathSync(path);
  } catch {
    return undefined;
  }
};
