/*
 * Programs that nobody has changed, each with what bootcut prepares for it and without, through bootcut both times: JVM
 * programs on each JDK of this machine, command line tools of Node, a Python program. From the start of bootcut to the
 * first byte on stdout. Which JVM program is the largest is counted: by the classes that it loads until its end.
 * `BENCH_TARGETS=clojure,node` picks some.
 */
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {run} from '../test/rig/program.js';
import {type Figure, interleave, publish, repository, rounds, seed} from './lib/bench.js';
import {median, ratioInterval} from './lib/statistics.js';

interface Target {
  readonly name: string;
  /** Of a JVM program: its JDK's version. */
  readonly jdk?: string;
  readonly needs: string;
  readonly command: readonly string[];
}

const jars = '/usr/share/java';
const jvms = '/usr/lib/jvm';

/** Every JDK once: Debian has several names for each. */
const jdks = (): readonly {readonly version: string; readonly java: string}[] => {
  const names = existsSync(jvms) ? readdirSync(jvms) : [];
  const homes = new Set(
    names.filter((name) => existsSync(join(jvms, name, 'release'))).map((name) => realpathSync(join(jvms, name))),
  );
  return [...homes].flatMap((home) => {
    const version = /^JAVA_VERSION="(\d+)/m.exec(readFileSync(join(home, 'release'), 'utf8'))?.[1];
    return version === undefined ? [] : [{version, java: join(home, 'bin', 'java')}];
  });
};

await using rig = await LaunchRig.create({env: {BOOTCUT_HOLDBACK: '0'}});
const script = join(rig.dir, 'input.js');
writeFileSync(script, 'function f(a) { return a + 1; } console.log(f(2));\n');

const jvmPrograms = (version: string, java: string): readonly Target[] => [
  {
    name: `clojure, JDK ${version}`,
    needs: `${jars}/clojure-1.11.jar`,
    command: [java, '-cp', `${jars}/clojure-1.11.jar`, 'clojure.main', '-e', '(println 1)'],
  },
  {
    name: `jython, JDK ${version}`,
    needs: `${jars}/jython.jar`,
    command: [java, '-jar', `${jars}/jython.jar`, '-c', 'print(1)'],
  },
  {
    name: `groovy, JDK ${version}`,
    needs: `${jars}/groovy-all.jar`,
    command: [java, '-cp', `${jars}/groovy-all.jar`, 'groovy.ui.GroovyMain', '-e', 'println 1'],
  },
  {
    name: `closure-compiler, JDK ${version}`,
    needs: `${jars}/closure-compiler.jar`,
    command: [java, '-jar', `${jars}/closure-compiler.jar`, '--js', script],
  },
];

const jvmTargets = jdks().flatMap(({version, java}): readonly Target[] =>
  jvmPrograms(version, java).map((target) => ({...target, jdk: version})),
);

const nodes = join(repository, 'node_modules', '.cache', 'nodes');
const nodeTargets = (existsSync(nodes) ? readdirSync(nodes) : [])
  .filter((version) => version.startsWith('24.'))
  .flatMap((version): readonly Target[] => {
    const node = join(nodes, version, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
    const tool = (name: string, path: string, ...args: readonly string[]): Target => ({
      name: `${name}, node ${version}`,
      needs: join(repository, 'node_modules', path),
      command: [node, join(repository, 'node_modules', path), ...args],
    });
    return [
      tool('oclif', 'oclif/bin/run.js', '--version'),
      tool('knip', 'knip/bin/knip.js', '--version'),
      tool('eslint', 'eslint/bin/eslint.js', '--version'),
      tool('tsc', 'typescript/bin/tsc', '--version'),
    ];
  });

const python: Target = {
  name: 'pygmentize, Python',
  needs: '/usr/bin/pygmentize',
  command: ['/usr/bin/pygmentize', '-l', 'js', script],
};

const only = process.env['BENCH_TARGETS']?.split(',');
const all = [...jvmTargets, ...nodeTargets, python];
const targets = all.filter(({name}) => only === undefined || only.some((word) => name.includes(word)));

/** Milliseconds from the start of a command to its first byte on stdout; it is read to its end. */
const firstOutput = (command: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const [program = '', ...args] = command;
    const child = spawn(program, args, {env: rig.environment(), cwd: rig.dir, stdio: ['ignore', 'pipe', 'ignore']});
    let took: number | undefined;
    child.stdout.on('data', () => (took ??= performance.now() - began));
    child.once('error', reject);
    child.once('close', (status) =>
      status === 0 && took !== undefined
        ? resolve(took)
        : reject(
            new Error(`${command.join(' ')}: status ${status ?? 'none'}, ${took === undefined ? 'no output' : ''}`),
          ),
    );
  });

/** Launches until something is prepared and used; undefined where nothing is prepared for it. */
const prepare = async (command: readonly string[]): Promise<string | undefined> => {
  for (let launches = 0; launches < 60; launches += 1) {
    await rig.served(['run', '--', ...command]);
    const [record] = (await rig.lastRecord()).optimizations ?? [];
    if (record === undefined) return undefined;
    if (record.state === 'used') return record.name;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return undefined;
};

/** Least ratio for the largest program, by the classes that it loads, on each JDK. */
const goal = 1.5;

const store = join(rig.home, '.cache', 'bootcut', 'optimizations', 'jvm-archive', 'classes', 'archives');

interface ClassCount {
  readonly loaded: number;
  /** How many of them came out of the archive, or out of the JVM's own. */
  readonly shared: number;
}

/** What a JVM program loads with the archive that has just been made for it, by the JVM's own log. */
const countClasses = async ([java = '', ...args]: readonly string[]): Promise<ClassCount> => {
  const [newest] = readdirSync(store)
    .filter((name) => name.endsWith('.jsa'))
    .map((name) => ({path: join(store, name), at: statSync(join(store, name)).mtimeMs}))
    .sort((one, other) => other.at - one.at);
  const log = join(rig.dir, 'classes.log');
  const flags = [`-XX:SharedArchiveFile=${newest?.path ?? ''}`, `-Xlog:class+load:file=${log}:none`];
  const {status, stderr} = await run([java, ...flags, ...args], {env: rig.environment(), cwd: rig.dir});
  if (status !== 0) throw new Error(`${java} ended with ${status ?? 'a signal'}: ${stderr}`);
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(' source: '));
  return {loaded: lines.length, shared: lines.filter((line) => line.includes('shared objects file')).length};
};

/** The figure of a program, and by how much it is the largest on its JDK. */
interface Row {
  readonly figure: Figure;
  readonly ratio: number;
  readonly jdk: string | undefined;
  readonly classes: ClassCount | undefined;
}

mkdirSync(join(repository, 'bench', 'results'), {recursive: true});
await rig.startDaemon();
const samples: Record<string, readonly number[]> = {};
const rows: Row[] = [];
const missing: Figure[] = [];
for (const {name, needs, command, jdk} of targets) {
  const used = existsSync(needs) ? await prepare(command) : undefined;
  if (used === undefined) {
    missing.push({what: name, value: existsSync(needs) ? 'nothing is prepared for it' : `not installed (${needs})`});
    continue;
  }
  const classes = jdk === undefined ? undefined : await countClasses(command);
  const through = [bootcut, 'run'];
  const measured = await interleave(rounds(12), {
    without: () => firstOutput([...through, '--no-optimizations', '--', ...command]),
    with: () => firstOutput([...through, '--', ...command]),
  });
  samples[`${name}: without`] = measured.without;
  samples[`${name}: with`] = measured.with;
  const ratio = median(measured.without) / median(measured.with);
  const [low, high] = ratioInterval(measured.without, measured.with, seed);
  const verdict = low > 1 ? 'times as fast' : high < 1 ? 'times as fast: slower' : 'times as fast: no difference shown';
  const counted = classes === undefined ? '' : `; loads ${classes.loaded} classes, ${classes.shared} from archives`;
  const value = `${ratio.toFixed(2)} ${verdict}, 95 % ${low.toFixed(2)} to ${high.toFixed(2)}${counted}`;
  rows.push({figure: {what: `${name} (${used})`, value}, ratio, jdk, classes});
}

/** The goal is for the largest program of each JDK. */
const withGoal = ({figure, ratio, jdk, classes}: Row): Figure => {
  const most = Math.max(...rows.filter((row) => row.jdk === jdk).map((row) => row.classes?.loaded ?? 0));
  if (classes === undefined || classes.loaded < most) return figure;
  return {...figure, what: `${figure.what}, the largest on JDK ${jdk ?? ''}`, goal: `≥ ${goal}`, met: ratio >= goal};
};

publish({
  name: 'archives',
  title: 'programs that nobody has changed: with what bootcut has prepared, and without',
  endpoint: 'spawn of bootcut to the first byte on stdout, by the parent’s clock; daemon running, everything warm',
  figures: [...rows.map(withGoal), ...missing],
  samples,
});
