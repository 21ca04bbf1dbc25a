import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {LaunchRig} from '../../rig/launch-rig.js';
import {noteModules} from '../../rig/loaded-modules.js';

/*
 * Each module costs a start of Node most of a millisecond: what is counted here is what the commands' and the Node front's
 * figures are made of. The limits are what the build of 2026-12 loads and two more.
 */
const cases = [
  {name: 'a launch through Node', args: ['run', '--', 'true'], most: 13, oclif: false},
  {name: 'daemon status', args: ['daemon', 'status'], most: 15, oclif: true},
  {name: 'profile', args: ['profile'], most: 13, oclif: true},
];

for (const {name, args, most, oclif} of cases) {
  it(`${name} loads at most ${most} files of ours, and ${oclif ? 'of packages oclif alone' : 'no package'}`, async () => {
    await using rig = await LaunchRig.create();
    await rig.startDaemon();
    await rig.served(['run', '--', 'true']);
    const modules = noteModules(mkdtempSync(join(tmpdir(), 'bootcut-modules-')));
    const {status, stderr} = await rig.run(args, {env: await rig.frontWith(modules.options)});
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    const loaded = modules.read().filter((url) => url.startsWith('file:'));
    const own = loaded.filter((url) => !url.includes('/node_modules/'));
    expect(own.some((url) => url.includes('/dist/'))).toBe(true);
    expect(own.length, own.join('\n')).toBeLessThanOrEqual(most);
    const foreign = loaded.filter((url) => url.includes('/node_modules/') && !url.includes('/@oclif/core/'));
    const ofOclif = /\/node_modules\/(?:wsl-utils|powershell-utils|is-wsl|is-inside-container|is-docker)\//;
    expect(foreign.filter((url) => !(oclif && ofOclif.test(url)))).toEqual([]);
  });
}
