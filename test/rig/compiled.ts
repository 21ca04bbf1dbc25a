import {createHash} from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Our sources as JavaScript, for child processes and worker threads: types taken off file by file, into a directory named
 * by their digest, so that tests neither wait for a build nor meet a stale one. Below node_modules, where imports of
 * packages resolve. Returns the directory that stands for `dist`.
 */
export function compiledSources(): string {
  const files = readdirSync(join(root, 'src'), {recursive: true, encoding: 'utf8'})
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => ({name, text: readFileSync(join(root, 'src', name), 'utf8')}));
  const hash = createHash('sha256');
  for (const {name, text} of files) hash.update(`${name}\0${text}\0`);
  const cache = join(root, 'node_modules', '.cache', 'bootcut-test');
  const home = join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(home)) {
    mkdirSync(cache, {recursive: true});
    const temporary = mkdtempSync(join(cache, 'making-'));
    chmodSync(temporary, 0o755); // some tests run as another user
    for (const {name, text} of files) write(join(temporary, 'dist', name.replace(/\.ts$/, '.js')), strip(text));
    write(join(temporary, 'package.json'), '{"name": "bootcut", "type": "module"}');
    publish(temporary, home);
    removeOld(cache);
  }
  return join(home, 'dist');
}

/** Imports one of our modules as the child processes see it: `name` is its path below `src`, without extension. */
export async function importCompiled<Module>(name: string): Promise<Module> {
  return (await import(/* @vite-ignore */ pathToFileURL(join(compiledSources(), `${name}.js`)).href)) as Module;
}

const strip = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    },
  }).outputText;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}

/** What other sources were compiled to more than a day ago. */
function removeOld(cache: string): void {
  for (const name of readdirSync(cache)) {
    const age = Date.now() - (statSync(join(cache, name), {throwIfNoEntry: false})?.mtimeMs ?? Date.now());
    if (age > 86_400_000) rmSync(join(cache, name), {recursive: true, force: true});
  }
}

/** Another test file may have been faster: then its directory is as good. */
function publish(temporary: string, home: string): void {
  try {
    renameSync(temporary, home);
  } catch (error) {
    rmSync(temporary, {recursive: true, force: true});
    if (!existsSync(home)) throw error;
  }
}
