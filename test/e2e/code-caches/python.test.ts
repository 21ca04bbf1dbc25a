import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {it} from 'vitest';
import {bootcut, LaunchRig, quoted} from '../../rig/launch-rig.js';
import {run} from '../../rig/program.js';

/*
 * A read-only mount of its own makes the environment read-only for root too. The daemon has to see it as the launches do,
 * so all of it runs in one mount namespace.
 */
it('a python program in a read-only environment has its bytecode after one launch', {timeout: 120_000}, async ({
  expect,
}) => {
  await using rig = await LaunchRig.create({env: {BOOTCUT_HOLDBACK: '0'}});
  const environment = join(rig.root, 'venv');
  const made = await run(['/usr/bin/python3', '-m', 'venv', '--without-pip', environment]);
  expect(made).toMatchObject({status: 0});
  const {stdout: version} = await run(['/usr/bin/python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const pack = join(environment, 'lib', `python${version.trim()}`, 'site-packages', 'big');
  await mkdir(pack);
  await writeFile(join(pack, '__init__.py'), 'def f(): return 1\n');
  const cached =
    'import big, os; print(os.path.exists(big.__cached__), os.environ.get("PYTHONPATH")); raise SystemExit(3)';
  const command = `${quoted(join(environment, 'bin', 'python'))} -c ${quoted(cached)}`;
  const launch = `${quoted(bootcut)} run -- ${command}`;
  const script = [
    `mount --bind ${quoted(environment)} ${quoted(environment)}`,
    `mount -o remount,ro,bind ${quoted(environment)}`,
    `${command}; echo direct $?`,
    `${quoted(bootcut)} daemon start >/dev/null`,
    // A launch that the daemon did not serve in time is not learnt from: until it has been, and until it is used.
    `n=0; until ${launch} | grep True || [ $n -ge 100 ]; do n=$((n + 1)); sleep 0.1; done`,
    `${launch}; echo used $?`,
    `${quoted(bootcut)} profile | grep python-bytecode`,
    `PYTHONDONTWRITEBYTECODE=1 ${launch}; echo unwanted $?`,
    `${quoted(bootcut)} daemon stop >/dev/null`,
  ].join('\n');
  const {stdout, stderr} = await run(['unshare', '-m', 'sh', '-c', script], {
    cwd: rig.dir,
    env: rig.environment({PYTHONDONTWRITEBYTECODE: undefined}),
  });
  expect(stderr).toBe('');
  expect(stdout).toBe(
    [
      ...['False None', 'direct 3', 'True None', 'True None', 'used 3'],
      '- optimization python-bytecode/packages for python: used',
      ...['False None', 'unwanted 3', ''],
    ].join('\n'),
  );
});
