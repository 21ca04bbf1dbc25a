import {describe, it} from 'vitest';
import {bootcut} from '../../rig/launch-rig.js';
import {Terminal} from '../../rig/terminal.js';
import {createAgentVmRig} from '../agent-vm/agent-vm-rig.js';
import {haveLauncher} from './scripted-daemon.js';

/** The stand-in takes so long for each, in milliseconds. */
const latencies = {create: 150, run: 40, stop: 60, remove: 5} as const;

describe.skipIf(!haveLauncher())('an agent-vm launch in a terminal', () => {
  it.for([
    ['has its phases on record', {}, true],
    ['has none where they are turned off', {BOOTCUT_PHASES: '0'}, false],
  ] as const)('%s, and the guest sees three terminals', async ([, settings, observed], {expect}) => {
    await using a = await createAgentVmRig({version: '0.1.28', latencies});
    await a.rig.startDaemon();
    await a.rig.run(['shell', 'true'], {env: a.env});
    using shown = new Terminal([bootcut, 'shell', 'exit', '6'], {
      cwd: a.rig.dir,
      env: a.rig.environment({...a.env, ...settings, TERM: 'dumb'}),
      columns: 171,
      rows: 47,
    });
    expect(await shown.ended()).toEqual({code: 6, signal: 0});
    const runs = await a.agentVm.runs();
    expect(runs.at(-1)?.isTTY).toEqual([true, true, true]);
    const record = await a.rig.lastRecord();
    expect(record).toMatchObject({front: 'launcher', via: 'daemon', outcome: {kind: 'exited', code: 6}});
    const length = (name: string): number => {
      const phase = record.phases.find((found) => found.name === name);
      return (phase?.to ?? 0) - (phase?.from ?? 0);
    };
    if (observed) {
      expect(length('boot')).toBeGreaterThan(latencies.create);
      expect(length('teardown')).toBeGreaterThan(latencies.stop);
    } else expect(length('boot')).toBe(0);
    expect(shown.text).toContain('==> Attaching to');
  });
});
