import {chmod, mkdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, test} from 'vitest';
import {launcherFinding} from '../../../src/client/doctor-launcher.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

const platform = `${process.platform}-${process.arch}`;

const put = async (path: string, mode = 0o755): Promise<void> => {
  await mkdir(dirname(path), {recursive: true});
  await writeFile(path, '');
  await chmod(path, mode);
};

describe('what doctor says of the launcher', () => {
  test.for([
    'node_modules/bootcut/launcher/bootcut-launch',
    `node_modules/bootcut-launcher-${platform}/bin/bootcut-launch`,
    `node_modules/bootcut/node_modules/bootcut-launcher-${platform}/bin/bootcut-launch`,
  ])('it is found at %s', async (place, {expect}) => {
    const root = await temporaryDirectory('doctor');
    await put(join(root, place));
    const installation = join(root, 'node_modules', 'bootcut');
    expect(launcherFinding({installation, env: {}, hasDescriptorList: true})).toEqual({
      area: 'bootcut',
      name: 'launcher',
      state: 'ok',
      text: join(root, place),
    });
  });

  test('without one, or with one that cannot be run, it says what launches cost and what to do', async ({expect}) => {
    const root = await temporaryDirectory('doctor');
    await put(join(root, 'launcher', 'bootcut-launch'), 0o644);
    const found = launcherFinding({installation: root, env: {}, hasDescriptorList: true});
    expect(found).toMatchObject({state: 'warning'});
    expect(found.text).toContain('60 ms');
    expect(found.text).not.toContain('descriptors');
    expect(found.advice).toContain(`bootcut-launcher-${platform}`);
  });

  test('where the system lists no descriptors, it says that targets lose theirs', async ({expect}) => {
    const root = await temporaryDirectory('doctor');
    const found = launcherFinding({installation: root, env: {}, hasDescriptorList: false});
    expect(found.text).toContain('descriptors from 3 up');
  });

  test('it names the variable that sends launches to Node', async ({expect}) => {
    const root = await temporaryDirectory('doctor');
    await put(join(root, 'launcher', 'bootcut-launch'));
    const found = launcherFinding({installation: root, env: {BOOTCUT_FRONT: 'node'}, hasDescriptorList: true});
    expect(found).toMatchObject({state: 'warning', advice: "'unset BOOTCUT_FRONT' brings the native launcher back."});
  });
});
