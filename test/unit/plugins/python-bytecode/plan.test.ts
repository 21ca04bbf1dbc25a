import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {OptimizationPlan} from 'bootcut/plugin';
import {afterAll, beforeEach, describe, test, vi} from 'vitest';

/*
 * Root may write everywhere, and the tests may run as root: what `access` says of one directory is made up here. The real
 * thing, a read-only mount, is in test/e2e/code-caches.
 */
const closed = vi.hoisted(() => new Set<string>());
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const accessSync = (path: string, mode?: number): void => {
    if (mode === fs.constants.W_OK && [...closed].some((top) => path.startsWith(top))) throw new Error('EROFS');
    fs.accessSync(path, mode);
  };
  return {...fs, accessSync};
});
const {default: plugin} = await import('../../../../plugins/python-bytecode/src/index.js');
const {makeLaunch} = await import('../agent-vm/launch.js');

let root: string;
let directory: string;
const made: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootcut-python-'));
  made.push(root);
  directory = join(root, 'store');
  mkdirSync(directory);
  closed.clear();
});
afterAll(() => made.forEach((path) => rmSync(path, {recursive: true, force: true})));

const file = (name: string, text = '', mode = 0o644): string => {
  const path = join(root, name);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

/** An interpreter with its library, and a virtual environment with one package, read-only. */
const environment = (): string => {
  file('usr/lib/python3.11/os.py');
  file('usr/bin/python3.11', '\x7fELF', 0o755);
  file('venv/pyvenv.cfg');
  file('venv/lib/python3.11/site-packages/big/__init__.py');
  mkdirSync(join(root, 'venv/bin'));
  symlinkSync(join(root, 'usr/bin/python3.11'), join(root, 'venv/bin/python'));
  closed.add(join(root, 'venv'));
  return join(root, 'venv/bin/python');
};

const plan = (argv: readonly string[], env: Record<string, string> = {}): OptimizationPlan | undefined =>
  plugin.optimizations[0]?.plan(
    makeLaunch({verb: 'run', runtime: 'process', argv, cwd: root, env: {PATH: join(root, 'venv/bin'), ...env}}),
    {directory},
  );

const pack = 'venv/lib/python3.11/site-packages';

describe('a launch of python', () => {
  test('in an environment that cannot be written to and has no bytecode needs some', ({expect}) => {
    const python = environment();
    for (const argv of [
      [python, '-m', 'big'],
      ['python', 'x.py'],
      ['python', '-X', 'dev', '-c', '1'],
    ]) {
      file('x.py');
      expect([argv, plan(argv)]).toEqual([argv, {subject: expect.any(Array), label: expect.any(String), learn: []}]);
    }
    const script = file('venv/bin/prog', `#!${python}\n`, 0o755);
    expect(plan([script])).toMatchObject({label: 'prog', learn: []});
  });

  test('needs none where python keeps it itself, or somebody has compiled it', ({expect}) => {
    const python = environment();
    closed.clear();
    expect(plan([python, '-m', 'big'])).toBeUndefined();
    closed.add(join(root, 'venv'));
    expect(plan([python, '-m', 'big'])).toBeDefined();
    file(`${pack}/big/__pycache__/__init__.cpython-311.pyc`);
    utimesSync(join(root, pack), 1, 1);
    expect(plan([python, '-m', 'big'])).toBeUndefined();
  });

  test.for([[{PYTHONDONTWRITEBYTECODE: '1'}], [{PYTHONPYCACHEPREFIX: '/mine'}], [{PYTHONHOME: '/other'}]] as const)(
    'is left alone with %j',
    ([env], {expect}) => {
      const python = environment();
      expect(plan([python, '-m', 'big'], env)).toBeUndefined();
    },
  );

  test.for([['-I'], ['-E'], ['-B'], ['-sE'], ['-X', 'pycache_prefix=/mine'], ['-Xpycache_prefix=x']])(
    'is left alone with %s',
    (options, {expect}) => {
      const python = environment();
      expect(plan([python, ...options, '-m', 'big'])).toBeUndefined();
      file('x.py');
      expect(plan([python, ...options, 'x.py'])).toBeUndefined();
    },
  );

  test('is left alone through a shim, or without the library that belongs to it', ({expect}) => {
    environment();
    const shim = file('shims/python3', '#!/bin/sh\nexec other\n', 0o755);
    expect(plan([shim, '-m', 'big'])).toBeUndefined();
    rmSync(join(root, 'usr/lib'), {recursive: true});
    expect(plan(['python', '-m', 'big'])).toBeUndefined();
    expect(plan(['missing'])).toBeUndefined();
  });

  test('uses what has been made until packages or interpreter change', ({expect}) => {
    const python = environment();
    const argv = [python, '-m', 'big'];
    const [key = ''] = (plan(argv)?.subject ?? []) as string[];
    file(`store/${key}/made`, '123');
    expect(plan(argv)).toMatchObject({
      prepared: '123',
      use: [{kind: 'set-env', name: 'PYTHONPYCACHEPREFIX', value: join(directory, key)}],
    });
    writeFileSync(join(directory, key, 'made'), '');
    expect(plan(argv)?.use).toBeUndefined();
    writeFileSync(join(directory, key, 'made'), '124');
    utimesSync(join(root, pack), 1, 1);
    expect(plan(argv)?.use).toBeUndefined();
  });
});
