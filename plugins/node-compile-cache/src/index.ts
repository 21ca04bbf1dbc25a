/** Keeps what node has compiled of a program's JavaScript, where node can do that and nobody has asked for something else. */
import {basename} from 'node:path';
import {
  defineOptimization,
  definePlugin,
  fileIdentity,
  hashed,
  type Launch,
  NoAnswer,
  type OptimizationPlan,
  type OptimizationTools,
  type OptimizationWork,
  type Outcome,
  type PlanEdit,
  type Preparation,
} from 'bootcut/plugin';
import {
  cachePath,
  filledAt,
  isDirectory,
  limits,
  markFilled,
  noteUse,
  removeCache,
  sizeOf,
  sweepCaches,
} from './cache-store.js';
import {findProgram, type NodeProgram} from './find-program.js';
import {askVersion, hasCompileCache, nodeVersion} from './node-version.js';

/** Variables that are about the cache, or that it would make less exact. */
const touchy = ['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'];

/** Options of node with which the cache is in the way: coverage, rights, snapshots. */
const touchyOption =
  /--(?:experimental-)?(?:permission|test|watch|build-snapshot|snapshot-blob|experimental-test-coverage)/;

const wanted = (launch: Launch): NodeProgram | undefined => {
  if (launch.runtime !== 'process' || touchy.some((name) => launch.env[name] !== undefined)) return undefined;
  const program = findProgram(launch);
  if (program === undefined) return undefined;
  const options = [...program.options, launch.env['NODE_OPTIONS'] ?? ''];
  return options.some((option) => touchyOption.test(option)) ? undefined : program;
};

/** Node itself sets parts of different versions and files apart; a program that is installed anew begins anew. */
const keyOf = ({node, script}: NodeProgram): string =>
  hashed([node, fileIdentity(node), script, fileIdentity(script)].join('\n')) ?? '';

const plan = (launch: Launch, {directory}: OptimizationTools): OptimizationPlan | undefined => {
  const program = wanted(launch);
  if (program === undefined) return undefined;
  const version = nodeVersion(program.node, directory);
  if (version === undefined)
    return {subject: ['node', program.node, fileIdentity(program.node)], label: 'node', learn: []};
  if (!hasCompileCache(version)) return undefined;
  const key = keyOf(program);
  const edits: readonly PlanEdit[] = [{kind: 'set-env', name: 'NODE_COMPILE_CACHE', value: cachePath(directory, key)}];
  const prepared = filledAt(directory, key);
  const base = {subject: ['program', key], label: basename(program.script)};
  return prepared === undefined ? {...base, learn: edits} : {...base, use: edits, prepared};
};

/** The launch has filled the cache itself, at its end; what is left is to take it into use. */
const prepare = async (launch: Launch, work: OptimizationWork & {readonly outcome: Outcome}): Promise<Preparation> => {
  const {directory} = work;
  const program = wanted(launch);
  if (program === undefined) throw new NoAnswer('nothing-there', 'the program has changed since it was started');
  if (nodeVersion(program.node, directory) === undefined) {
    return {bytes: 0, detail: `it is node ${(await askVersion(launch, program.node, work)).join('.')}`};
  }
  const key = keyOf(program);
  const bytes = sizeOf(cachePath(directory, key));
  // A node that is killed writes nothing; the next launch may.
  if (bytes === 0 && work.outcome.kind !== 'exited') return {bytes, detail: 'not filled: the launch was killed'};
  if (!isDirectory(cachePath(directory, key))) {
    removeCache(directory, key);
    return {bytes, detail: 'something else stood in its place, and has been removed'};
  }
  if (bytes === 0) throw new NoAnswer('nothing-there', 'node compiled nothing that it could keep');
  markFilled(directory, key);
  sweepCaches(directory, key);
  return {bytes};
};

/** Beside launches: a program that changes all the time leaves its old parts in the cache, which node never removes. */
const keepSmall = async (launch: Launch, {directory}: OptimizationTools): Promise<undefined> => {
  const program = wanted(launch);
  if (program === undefined) return undefined;
  const key = keyOf(program);
  if (noteUse(directory, key) && sizeOf(cachePath(directory, key)) > limits.bytesOfOne) removeCache(directory, key);
  return undefined;
};

export default definePlugin({
  name: 'node-compile-cache',
  optimizations: [
    defineOptimization({
      name: 'code',
      summary: 'keeps what node has compiled (NODE_COMPILE_CACHE)',
      plan,
      prepare,
      warmUp: keepSmall,
    }),
  ],
});
