/* A real A/B of four kinds of program, through `bootcut bench`: Node, Python, a JVM, and an X program under Xvfb. */
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {bootcut} from '../test/rig/launch-rig.js';
import {repository, rounds, seed} from './lib/bench.js';

const here = join(repository, 'bench', 'real-targets');
const work = mkdtempSync(join(tmpdir(), 'bootcut-real-'));
const state = join(work, 'state');
mkdirSync(state, {mode: 0o700});
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** Runs one bench and prints its report. */
const bench = (title: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void => {
  const fixed = ['bench', '-n', String(rounds(12)), '--seed', String(seed), '--title', title, '--allow-failures'];
  const text = execFileSync(bootcut, [...fixed, ...args], {
    env: {...process.env, ...env, BOOTCUT_STATE_DIR: state},
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  process.stdout.write(`${text}\n\n`);
};

/** Two conditions that a server meets one after the other; ranked by the answer. */
const server = (port: number): readonly string[] => ['--until', `healthy=http://127.0.0.1:${port}/`];

const node = (): void => {
  const command = ['-e', 'PORT=43101', '--', process.execPath, join(here, 'node-server.mjs')];
  if (!existsSync(certificates)) return console.log('node: no bundle of certificates here');
  bench('Node server, without and with NODE_EXTRA_CA_CERTS', [
    ...server(43101),
    ...['plain', '-e', 'NODE_EXTRA_CA_CERTS', ...command],
    ...['--vs', 'extra-ca', '-e', `NODE_EXTRA_CA_CERTS=${certificates}`],
  ]);
};

const python = (): void =>
  bench('Python server, imports when needed and all at once', [
    ...server(43102),
    ...['lazy', '-e', 'PORT=43102', '--', '/usr/bin/env', 'python3', join(here, 'python_server.py')],
    ...['--vs', 'eager', '-e', 'EAGER=1'],
  ]);

const jvm = (): void => {
  const classes = join(work, 'classes');
  execFileSync('javac', ['-d', classes, join(here, 'Server.java')]);
  const archive = join(work, 'server.jsa');
  const jar = join(work, 'server.jar');
  execFileSync('jar', ['cfe', jar, 'Server', '-C', classes, '.']);
  const train = spawn('java', [`-XX:ArchiveClassesAtExit=${archive}`, '-jar', jar], {
    env: {...process.env, PORT: '43103'},
    stdio: 'ignore',
  });
  // One request, so that the archive holds what an answer needs as well.
  execFileSync(bootcut, ['connect', 'http://127.0.0.1:43103/', '--wait', '20s'], {stdio: 'ignore'});
  train.kill('SIGTERM');
  execFileSync('sh', [
    '-c',
    `i=0; while [ ! -s ${archive} ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done; sleep 1`,
  ]);
  bench('JVM server, without and with an archive of its classes (AppCDS)', [
    ...server(43103),
    ...['main', '-e', 'PORT=43103', '--', 'java', '-jar', jar],
    ...['--vs', 'AppCDS', '--', 'java', `-XX:SharedArchiveFile=${archive}`, '-jar', jar],
  ]);
};

const xProgram = async (): Promise<void> => {
  const display = ':97';
  const screen = spawn('Xvfb', [display, '-screen', '0', '800x600x24'], {stdio: 'ignore'});
  for (let tries = 0; tries < 100 && !existsSync('/tmp/.X11-unix/X97'); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50)); // its socket appears without a word
  }
  const marker = 'echo shell runs >>"$BOOTCUT_TIMELINE"; echo drawn; sleep 60';
  bench(
    'xterm under Xvfb, a bitmap font and a scalable one',
    [
      ...['--until', 'window=screen: title=/^bench$/', '--until', 'drawn=screen: region=300x40+0+0'],
      ...['bitmap', '--', 'xterm', '-T', 'bench', '-fn', 'fixed', '-e', 'sh', '-c', marker],
      ...['--vs', 'scalable', '--', 'xterm', '-T', 'bench', '-fa', 'Monospace', '-fs', '10', '-e', 'sh', '-c', marker],
    ],
    {DISPLAY: display},
  );
  screen.kill('SIGTERM');
};

const only = process.env['BENCH_TARGETS']?.split(',');
const wants = (name: string): boolean => only === undefined || only.includes(name);

try {
  if (wants('node')) node();
  if (wants('python')) python();
  if (wants('jvm')) jvm();
  if (wants('x')) await xProgram();
} finally {
  rmSync(work, {recursive: true, force: true});
}
