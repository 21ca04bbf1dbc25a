import {afterAll, beforeAll, describe, it} from 'vitest';
import {bootcut, fronts, quoted} from '../../rig/launch-rig.js';
import {Terminal} from '../../rig/terminal.js';
import {type AgentVmRig, createAgentVmRig} from './agent-vm-rig.js';

/** What a VM leaves behind that ends in the middle of an interactive session. */
const raw = 'stty raw -echo';

describe.each(fronts)('W6: the terminal after agent-vm launches, $front', ({daemon, env}) => {
  let a: AgentVmRig;
  beforeAll(async () => {
    a = await createAgentVmRig({version: '0.1.28'});
    if (daemon) await a.rig.startDaemon();
  });
  afterAll(async () => await a[Symbol.asyncDispose]());

  const terminal = (line: string): Terminal =>
    new Terminal(['/bin/bash', '-c', line], {
      cwd: a.rig.dir,
      env: a.rig.environment({...a.env, ...env, TERM: 'dumb'}),
      columns: 171,
      rows: 47,
    });

  it.for([
    ['whose VM process alone is killed hard', `${quoted(bootcut)} shell -- sh -c '${raw}; kill -KILL $$'`, 137],
    ['whose VM fails', `${quoted(bootcut)} shell -- sh -c '${raw}; exit 1'`, 1],
    [
      'that is ended by `timeout`',
      `timeout --foreground -s TERM 1.5 ${quoted(bootcut)} shell -- sh -c '${raw}; sleep 30'`,
      124,
    ],
  ] as const)('is as it was after one %s', async ([, line, status], {expect}) => {
    using shown = terminal(
      `stty -a >before; ${line}; echo status=$?; stty -a >after; stty sane; cmp before after && echo same; echo done`,
    );
    await shown.shows(/done/);
    expect(shown.text).toContain(`status=${status}`);
    expect(shown.text).toContain('same');
  });

  it('tells the guest its size from the first moment on, and every change', async () => {
    const probe = `trap "stty size; exit 4" WINCH; stty size; while :; do sleep 0.05; done`;
    using shown = terminal(`${quoted(bootcut)} shell -- bash -c ${quoted(probe)}; echo status=$?`);
    await shown.shows(/47 171/);
    shown.resize(120, 33);
    await shown.shows(/33 120[^]*status=/);
  });
});
