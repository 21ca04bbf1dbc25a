/*
 * Joins the modules of dist/ into few files. Node looks up, reads and links each module by itself, most of a millisecond a
 * piece: a launch without the launcher, a command and the daemon's start are made of that. What is imported only when it is
 * needed stays a file of its own; plugins and commands find the same names as before.
 */
import {mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {rolldown} from 'rolldown';

/** Files that somebody names: oclif, `exports`, bin/run.js, the daemon's start, threads. The others may move. */
const named = ['commands-main', 'client/front', 'daemon/main', 'steps/worker', 'plugin', 'index', 'testing'];

/**
 * What is loaded together lies together: modules that the same of these need at once share a file, so that each of them
 * loads a handful and nothing that it does not need.
 */
const users = {
  launch: ['client/front'],
  command: ['base-command', 'protocol/ask', 'views/failure', 'commands/daemon/status'],
  profile: ['commands/profile/index'],
  daemon: ['daemon/main'],
  thread: ['steps/worker'],
  plugin: ['plugin'],
};

/** How src/system/installation.ts finds the root: it must stay two folders below. */
const rootByPlace = 'new URL("../../", import.meta.url)';

const list = (directory) =>
  readdirSync(directory, {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

/** Bundles `dist` in place; type declarations stay as they are. */
export const bundle = async (dist) => {
  const before = list(dist).filter((path) => path.endsWith('.js'));
  const commands = before.filter((path) => path.startsWith(join(dist, 'commands', '/')));
  const nameOf = (path) => path.slice(dist.length + 1, -'.js'.length);
  const entries = [...named, ...commands.map(nameOf)];
  const usersOf = new Map();
  const findUsers = {
    name: 'users',
    buildEnd() {
      const visit = (id, user) => {
        const known = usersOf.get(id) ?? new Set();
        if (isForeign(id) || known.has(user)) return;
        usersOf.set(id, known.add(user));
        for (const next of this.getModuleInfo(id)?.importedIds ?? []) visit(next, user);
      };
      for (const [user, starts] of Object.entries(users)) {
        for (const start of starts) visit(join(dist, `${start}.js`), user);
      }
    },
  };
  const chunkOf = (id) => (usersOf.has(id) && !entries.includes(nameOf(id)) ? [...usersOf.get(id)].join('+') : null);
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(dist, `${name}.js`)])),
    platform: 'node',
    external: isForeign,
    preserveEntrySignatures: 'allow-extension',
    plugins: [findUsers],
  });
  const {output} = await bundled.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{name: chunkOf, debugName: 'users'}],
    },
  });
  await bundled.close();
  const misplaced = output.filter(({fileName, code}) => code.includes(rootByPlace) && !/^[^/]+\/[^/]+$/.test(fileName));
  if (misplaced.length > 0)
    throw new Error(`would look for the installation in the wrong place: ${misplaced[0].fileName}`);
  for (const path of before) rmSync(path);
  for (const {fileName, code} of output) {
    mkdirSync(dirname(join(dist, fileName)), {recursive: true});
    writeFileSync(join(dist, fileName), code);
  }
};

/** Packages stay packages, but for the one that everything of ours starts with: we use a small part of it. */
const isForeign = (id) => (!/^[./]/.test(id) && id !== 'valibot') || /^node:/.test(id);
