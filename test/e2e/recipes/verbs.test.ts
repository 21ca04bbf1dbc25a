import {spawnSync} from 'node:child_process';
import {dirname} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {fronts, LaunchRig} from '../../rig/launch-rig.js';

const box = {
  command: [
    ...['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--bind', '{project}', '{project}', '--chdir', '{cwd}'],
    ...['--setenv', 'IN_BOX', 'yes', '--die-with-parent', '--', 'env', '--'],
  ],
  verbs: ['shell', 'claude'],
};

/** A container may forbid new namespaces. */
const canRun = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

describe.skipIf(!canRun).each(fronts)('a recipe for bwrap that serves other verbs, $front:', ({daemon, env}) => {
  let rig: LaunchRig;
  beforeAll(async () => {
    rig = await LaunchRig.create({env});
    await rig.run(['config', 'set', 'plugins.recipes.box', JSON.stringify(box)]);
    await rig.run(['config', 'set', 'runtime', 'box']);
    if (daemon) await rig.startDaemon();
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  it('runs the words of shell, byte for byte, and ends as they end', async ({expect}) => {
    const script = 'printf "%s|" "$IN_BOX" "$PWD" "$@"; exit 9';
    for (const dashes of [['--'], []])
      expect(await rig.run(['shell', ...dashes, 'sh', '-c', script, '--', '', 'a b', '--', '-x'])).toEqual(
        expect.objectContaining({status: 9, stdout: `yes|${rig.dir}||a b|--|-x|`, stderr: ''}),
      );
  });

  it('gives a shell where there are no words', async ({expect}) => {
    const {status, stdout} = await rig.run(['shell'], {input: 'echo "$IN_BOX $0"\n', env: {SHELL: '/bin/sh'}});
    expect({status, stdout}).toEqual({status: 0, stdout: 'yes /bin/sh\n'});
  });

  it('runs an agent by its name, and refuses a verb that it does not serve', async ({expect}) => {
    const program = await rig.script('claude', '#!/bin/sh\nprintf "%s|" "$IN_BOX" "$@"\n');
    const env = {PATH: `${dirname(program)}:${rig.env['PATH'] ?? ''}`};
    expect((await rig.run(['claude', '--', '--resume', 'a b'], {env})).stdout).toBe('yes|--resume|a b|');
    expect(await rig.run(['codex', '--', 'x'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr:
        'bootcut codex: box is a recipe, which runs commands: bootcut run --runtime box -- CMD; its verbs: run, shell, claude\n',
    });
  });
});
