import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {makeCertificate} from '../../rig/certificate.js';
import {type DelayProxy, startDelayProxy} from '../../rig/delay-proxy.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {requireProgram} from '../../rig/program.js';
import {type ScriptedServer, startScriptedServer} from '../../rig/scripted-server.js';

requireProgram('curl', 'curl');

/** A launch rig whose programs want a connection to a far host; `way` counts those that were made. */
interface ExpectingRig extends AsyncDisposable {
  readonly rig: LaunchRig;
  readonly way: DelayProxy;
  readonly far: string;
  /** One launch that uses a connection: the far host's words. */
  readonly ask: () => Promise<string>;
}

const expectingRig = async (): Promise<ExpectingRig> => {
  const rig = await LaunchRig.create();
  const {key, cert, certFile} = await makeCertificate(rig.root);
  const server: ScriptedServer = await startScriptedServer({tls: {key, cert}, answer: () => ({body: 'hello\n'})});
  const way = await startDelayProxy({target: server.port, mode: 'tcp'});
  const far = `localhost:${way.port}`;
  const settings = {hosts: far, proxy: 'true', connections: '1', seconds: '60'};
  for (const [name, value] of Object.entries(settings))
    await rig.run(['config', 'set', `plugins.preconnect.${name}`, value]);
  await rig.run(['config', 'set', 'holdback', '0']);
  await rig.startDaemon();
  const script = `curl -sS --max-time 20 --cacert ${certFile} https://${far}/`;
  return {
    rig,
    way,
    far,
    ask: async () => (await rig.served(['run', '--', 'sh', '-c', script])).stdout,
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await way[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};

/** What the shell's hook runs in a project. */
const enter = async (rig: LaunchRig): Promise<unknown> => await rig.run(['standby', 'start']);

describe('A11: a launch that is expected', () => {
  it('has its connections from when its project was entered, and savings counts it', async ({expect}) => {
    await using expecting = await expectingRig();
    const {rig, way, far, ask} = expecting;
    expect(await ask()).toBe('hello\n');
    expect((await rig.lastRecord()).optimizations?.[0]?.ahead).toBeUndefined();
    const before = way.count();
    await enter(rig);
    await way.arrived(before + 1); // nothing runs: the daemon has connected ahead
    expect(await ask()).toBe('hello\n');
    const record = await rig.lastRecord();
    const [optimization] = record.optimizations ?? [];
    expect(optimization).toMatchObject({name: 'preconnect/connections', said: {[far]: {connected: 1, used: 1}}});
    expect(optimization?.ahead).toBeGreaterThan(0);
    const {optimizations} = JSON.parse((await rig.run(['savings', '--json'])).stdout) as {optimizations: unknown[]};
    expect(optimizations[0]).toMatchObject({ahead: {expected: 1, came: 1, counts: {connected: 1, used: 1}}});
    expect((await rig.run(['savings'])).stdout).toContain('1 expected launch, 1 of which came (connected 1, used 1)');
  });

  it('is not expected elsewhere, nor with the setting expect off', async ({expect}) => {
    await using expecting = await expectingRig();
    const {rig, way, ask} = expecting;
    await ask();
    const before = way.count();
    const elsewhere = join(rig.root, 'elsewhere');
    await mkdir(elsewhere);
    await rig.run(['standby', 'start'], {cwd: elsewhere});
    await rig.run(['config', 'set', 'expect', 'false']);
    await enter(rig);
    expect(way.count()).toBe(before);
    await ask();
    expect((await rig.lastRecord()).optimizations?.[0]?.ahead).toBeUndefined();
  });
});
