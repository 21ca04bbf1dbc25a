import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {arch, cpus, loadavg, release, totalmem} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {median, quantile, seededRandom, shuffled} from './statistics.js';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** One way of doing the thing that is compared: does it once, returns its milliseconds. */
export type Arm = () => Promise<number> | number;

/** Milliseconds by the name of the arm. */
export type Samples = Readonly<Record<string, readonly number[]>>;

/** Seed of this run's order: `BENCH_SEED`, or a new one. */
export const seed = Number(process.env['BENCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Rounds of a run: `BENCH_ROUNDS`, or what the bench thinks is enough. */
export const rounds = (usual: number): number => Number(process.env['BENCH_ROUNDS'] ?? usual);

/** Each round runs every arm once, in an order of its own; the first round is thrown away. */
export const interleave = async <Name extends string>(
  count: number,
  arms: Readonly<Record<Name, Arm>>,
): Promise<Readonly<Record<Name, number[]>>> => {
  const random = seededRandom(seed);
  const names = Object.keys(arms) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < count; round += 1) {
    for (const name of shuffled(names, random)) {
      const milliseconds = await arms[name]();
      if (round >= 0) samples[name].push(milliseconds);
    }
  }
  return samples;
};

export interface Figure {
  /** What it is of, with the endpoint and warm or cold. */
  readonly what: string;
  readonly value: string;
  /** As design.md has it; absent where there is none. */
  readonly goal?: string;
  readonly met?: boolean;
}

export interface Report {
  readonly name: string;
  readonly title: string;
  /** From where to where the time was taken, and what was warm. */
  readonly endpoint: string;
  readonly figures: readonly Figure[];
  readonly samples: Samples;
}

/** Prints a report and keeps it with its raw samples. */
export const publish = (report: Report): void => {
  const machine = describeMachine();
  const lines = [
    `# ${report.title}`,
    `endpoint: ${report.endpoint}`,
    `machine: ${machine}; load ${loadavg()[0]?.toFixed(1) ?? '?'}; seed ${seed}`,
    ...Object.entries(report.samples).map(([name, samples]) => armLine(name, samples)),
    ...report.figures.map(figureLine),
  ];
  process.stdout.write(`${lines.join('\n')}\n\n`);
  const directory = join(repository, 'bench', 'results');
  mkdirSync(directory, {recursive: true});
  const kept = {
    ...report,
    machine,
    load: loadavg()[0]?.toFixed(1),
    commit: commit(),
    seed,
    at: new Date().toISOString(),
  };
  writeFileSync(join(directory, `${report.name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`);
};

const armLine = (name: string, samples: readonly number[]): string => {
  const numbers = [median(samples), quantile(samples, 0.99), Math.min(...samples)].map((value) => value.toFixed(2));
  return `  ${name.padEnd(30)} median ${numbers[0]} ms, p99 ${numbers[1]} ms, least ${numbers[2]} ms (${samples.length})`;
};

const figureLine = ({what, value, goal, met}: Figure): string =>
  `  ${what}: ${value}${goal === undefined ? '' : `  (goal ${goal}: ${met === true ? 'met' : 'NOT met'})`}`;

/** A ratio against its goal. */
export const ratioFigure = (what: string, ratio: number, goal: number): Figure => ({
  what,
  value: ratio.toFixed(3),
  goal: `≤ ${goal}`,
  met: ratio <= goal,
});

export const timeFigure = (what: string, milliseconds: number, goal: number): Figure => ({
  what,
  value: `${milliseconds.toFixed(2)} ms`,
  goal: `≤ ${goal} ms`,
  met: milliseconds <= goal,
});

const describeMachine = (): string => {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${memory} GiB, Linux ${release()} ${arch()}, Node ${process.version}`;
};

const commit = (): string => {
  try {
    return execFileSync('git', ['-C', repository, 'rev-parse', '--short', 'HEAD'], {encoding: 'utf8'}).trim();
  } catch {
    return readFileSync(join(repository, 'dist', 'build-id'), 'utf8').trim();
  }
};
