/** What a launch through us costs by itself: every front over the bare program, against the start of a bare Node. */
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {bootcut, LaunchRig, launcher} from '../test/rig/launch-rig.js';
import {makeAgentVmRig} from './lib/agent-vm-rig.js';
import {type Arm, interleave, publish, ratioFigure, repository, rounds, type Samples} from './lib/bench.js';
import {startFarServices} from './lib/far-services.js';
import {timeSync, type Where} from './lib/spawned.js';
import {median} from './lib/statistics.js';

/** Names of Node binaries by what the table calls them; `BOOTCUT_NODE24` names another one. */
const otherNode = process.env['BOOTCUT_NODE24'];
const nodes: Readonly<Record<string, string>> = {
  [`Node ${process.versions.node.split('.')[0] ?? ''}`]: process.execPath,
  ...(otherNode === undefined || otherNode === '' ? {} : {'Node 24': otherNode}),
};

const withNode = (where: Where, node: string, front: 'launcher' | 'node'): Where => ({
  ...where,
  env: {
    ...where.env,
    PATH: `${dirname(node)}:${where.env['PATH'] ?? ''}`,
    ...(front === 'node' ? {BOOTCUT_FRONT: 'node'} : {}),
  },
});

/** The same launch as an oclif command would do it: loads oclif, finds the command, starts the program, waits. */
const oclifFront = async (directory: string): Promise<string> => {
  await mkdir(join(directory, 'commands'), {recursive: true});
  await symlink(join(repository, 'node_modules'), join(directory, 'node_modules'));
  const oclif = {bin: 'front', dirname: 'front', commands: './commands'};
  await writeFile(
    join(directory, 'package.json'),
    JSON.stringify({name: 'front', version: '1.0.0', type: 'module', oclif}),
  );
  await writeFile(
    join(directory, 'commands', 'run.js'),
    `import {spawn} from 'node:child_process';
import {Command} from '@oclif/core';
export default class Run extends Command {
  static strict = false;
  async run() {
    const child = spawn(this.argv[0], this.argv.slice(1), {stdio: 'inherit'});
    process.exitCode = await new Promise((resolve) => child.once('exit', resolve));
  }
}
`,
  );
  const common = {id: 'run', aliases: [], args: {}, flags: {}, hiddenAliases: [], strict: false};
  const where = {
    pluginAlias: 'front',
    pluginName: 'front',
    pluginType: 'core',
    isESM: true,
    relativePath: ['commands', 'run.js'],
  };
  await writeFile(
    join(directory, 'oclif.manifest.json'),
    JSON.stringify({commands: {run: {...common, ...where}}, version: '1.0.0'}),
  );
  const bin = join(directory, 'run.js');
  await writeFile(bin, "import {execute} from '@oclif/core';\nawait execute({dir: import.meta.url});\n");
  return bin;
};

/** Peak memory of the launcher (not of its target) while a session lasts, and of its witness, in MiB. */
const memoryOfSession = async (where: Where): Promise<{readonly launcher: number; readonly witness: number}> => {
  const front = spawn(bootcut, ['run', '--', 'sleep', '1000'], {...where, stdio: 'ignore'});
  const pid = front.pid ?? 0;
  // The kernel's own high-water mark lags behind by some pages per processor; the sum over the mappings is exact.
  const peak = (of: number): number =>
    Math.max(
      ...(['status', 'smaps_rollup'] as const).map((name) =>
        Number(/(?:VmHWM|Rss):\s+(\d+)/.exec(readFileSync(`/proc/${of}/${name}`, 'utf8'))?.[1] ?? 0),
      ),
    ) / 1024;
  const children = (): string[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const nameOf = (of: string): string => readFileSync(`/proc/${of}/comm`, 'utf8').trim();
  while (!children().some((child) => nameOf(child) === 'sleep')) await new Promise((resolve) => setTimeout(resolve, 5));
  const witness = children().find((child) => nameOf(child) === 'bootcut-witness');
  const measured = {launcher: peak(pid), witness: witness === undefined ? 0 : peak(Number(witness))};
  front.kill('SIGTERM');
  return measured;
};

/** System calls of one warm launch, by process, as strace counts them. */
const systemCalls = (where: Where): string => {
  const file = join(where.cwd, 'strace');
  try {
    execFileSync('strace', ['-ff', '-o', file, bootcut, 'run', '--', '/bin/true'], {...where, stdio: 'ignore'});
  } catch {
    return 'strace is not there';
  }
  const counts = readdirSync(where.cwd)
    .filter((name) => name.startsWith('strace.'))
    .map((name) => readFileSync(join(where.cwd, name), 'utf8').split('\n'))
    .map((lines) => {
      const calls = lines.filter((line) => /^\w+\(/.test(line));
      const execs = calls.flatMap((line, index) =>
        line.startsWith('execve(') ? [{index, file: line.split('"')[1]?.split('/').at(-1) ?? ''}] : [],
      );
      const parts = execs.map(({index, file: name}, at) => `${name} ${(execs[at + 1]?.index ?? calls.length) - index}`);
      return parts.length > 0 ? parts.join(', then ') : `witness ${calls.length}`;
    });
  return counts.join('; ');
};

await using rig = await LaunchRig.create();
await rig.startDaemon();
const where = {env: rig.environment(), cwd: rig.dir};
const oclif = await oclifFront(join(rig.root, 'oclif'));
const hasLauncher = existsSync(launcher);

/** What every other arm is set against. */
const references: Record<string, Arm> = {
  '/bin/true': () => timeSync(['/bin/true'], where),
  'node -e 0': () => timeSync(['node', '-e', '0'], where),
};
const viaLauncher: Arm = () => timeSync([bootcut, 'run', '--', '/bin/true'], where);

/** Added milliseconds of each arm over `/bin/true`, by medians of one run, and what `node -e 0` took in it. */
const addedIn = (samples: Samples): {readonly added: Readonly<Record<string, number>>; readonly node: number} => {
  const base = median(samples['/bin/true'] ?? []);
  const others = Object.entries(samples).filter(([name]) => name !== '/bin/true');
  return {
    added: Object.fromEntries(others.map(([name, values]) => [name, median(values) - base])),
    node: median(samples['node -e 0'] ?? []),
  };
};

/** Launches before the figure is taken: what a daemon has behind it after some days, and V8 has compiled its code by then. */
const launchesBefore = 300;

timeSync([bootcut, 'run', '--', '/bin/true'], where);
// The three alone: the fronts in Node push everything else out of the processor's caches between two launches.
const arms = {...references, launcher: viaLauncher};
const justStarted = hasLauncher ? await interleave<string>(rounds(60), arms) : undefined;
if (hasLauncher) for (let count = 0; count < launchesBefore; count += 1) await viaLauncher();
const three = hasLauncher ? await interleave<string>(rounds(120), arms) : undefined;
const samples = await interleave<string>(rounds(60), {
  ...references,
  ...(hasLauncher
    ? {
        launcher: viaLauncher,
        'launcher, without its sh': () => timeSync([launcher, 'run', '--', '/bin/true'], where),
        'sh -c "exec /bin/true"': () => timeSync(['/bin/sh', '-c', 'exec /bin/true'], where),
      }
    : {}),
  ...Object.fromEntries(
    Object.entries(nodes).flatMap(([name, node]): [string, Arm][] => [
      [`Node front, ${name}`, () => timeSync([bootcut, 'run', '--', '/bin/true'], withNode(where, node, 'node'))],
      [`oclif front, ${name}`, () => timeSync([node, oclif, 'run', '/bin/true'], where)],
    ]),
  ),
});
const {added, node} = addedIn(samples);
const memory = hasLauncher ? await memoryOfSession(where) : undefined;
if (three !== undefined && justStarted !== undefined && memory !== undefined) {
  const [alone, early] = [addedIn(three), addedIn(justStarted)];
  publish({
    name: 'launcher',
    title: 'what a warm launch of /bin/true through the launcher adds',
    endpoint: `spawn to end of the process, by the parent’s clock; daemon running, warm: it has served ${launchesBefore} launches`,
    figures: [
      {what: 'added', value: `${(alone.added['launcher'] ?? 0).toFixed(2)} ms`},
      ratioFigure('added / node -e 0', (alone.added['launcher'] ?? 0) / alone.node, 0.1),
      {
        what: 'the same in the first 60 rounds after the daemon’s start',
        value: `${(early.added['launcher'] ?? 0).toFixed(2)} ms, ${((early.added['launcher'] ?? 0) / early.node).toFixed(3)}`,
      },
      {
        what: 'peak memory of the launcher during a session',
        value: `${memory.launcher.toFixed(2)} MiB, and ${memory.witness.toFixed(2)} MiB of its witness`,
        goal: '≤ 3 MiB together',
        met: memory.launcher + memory.witness <= 3,
      },
      {what: 'system calls of a warm launch, by process', value: systemCalls(where)},
    ],
    samples: three,
  });
}
publish({
  name: 'launcher-fronts',
  title: 'what each front adds to a warm launch of /bin/true, all in one run',
  endpoint: 'spawn to end of the process, by the parent’s clock; daemon running, warm',
  figures: Object.entries(added).map(([name, milliseconds]) => ({
    what: `${name}: added, and as a part of node -e 0`,
    value: `${milliseconds.toFixed(2)} ms, ${(milliseconds / node).toFixed(3)}`,
  })),
  samples,
});

await using services = await startFarServices({ghApiUser: 100, registry: 20});
await using vm = await makeAgentVmRig(services, {version: '0.1.28'});
await vm.rig.startDaemon();
// twice: the first asks, the second finds everything; then agent-vm's own cache is as warm as ours
for (let count = 0; count < 2; count += 1) await vm.through();
await vm.alone();
const vmSamples = await interleave(rounds(60), {alone: vm.alone, through: () => vm.through()});
const difference = median(vmSamples.through) - median(vmSamples.alone);
publish({
  name: 'launcher-agent-vm',
  title: 'a warm `bootcut shell -- true` against the agent-vm stand-in by itself, everything cached',
  endpoint: 'spawn to end of the process, by the parent’s clock; the stand-in is a Node program without boot times',
  figures: [
    {what: 'added', value: `${difference.toFixed(2)} ms`},
    ratioFigure('added / node -e 0', difference / node, 0.1),
  ],
  samples: vmSamples,
});
