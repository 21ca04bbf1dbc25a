import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {makeCertificate} from '../../rig/certificate.js';
import {type DelayProxy, startDelayProxy} from '../../rig/delay-proxy.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {linkPlugin} from '../../rig/linked-plugin.js';
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

/** A plugin with a look-up of a far host, whose answer depends on the file `account` in the launch's directory. */
const askingPlugin = (address: string): string => `
import {definePlugin, fileIdentity, hours, httpClient, lookup} from 'bootcut/plugin';
export default definePlugin({
  name: 'asker',
  steps: [
    lookup({
      name: 'answer',
      neededBy: 'boot',
      when: ({verb}) => verb === 'run', // not in the launch that 'standby start' plans
      freshFor: hours(1),
      keepFor: hours(2),
      key: (launch) => [fileIdentity(launch.cwd + '/account')],
      asks: () => ['${address}'],
      read: async (launch, {signal}) => await (await httpClient(launch)).get('${address}/', {signal}).text(),
      parse: String,
      apply: (value) => [{kind: 'set-env', name: 'ANSWER', value}],
    }),
  ],
});
`;

describe('A11: a look-up of a launch that is expected', () => {
  it('rides on a connection that was made when its project was entered', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {key, cert, certFile} = await makeCertificate(rig.root);
    await using server = await startScriptedServer({
      tls: {key, cert},
      answer: () => ({headers: {connection: 'close'}, body: 'hello'}), // none is kept from the launch before
    });
    await using way = await startDelayProxy({target: server.port, mode: 'tcp'});
    await linkPlugin(rig, 'asker', askingPlugin(`https://localhost:${way.port}`));
    await rig.startDaemon();
    const ask = async (): Promise<string> =>
      (await rig.served(['run', '--', 'sh', '-c', 'echo $ANSWER'], {env: {NODE_EXTRA_CA_CERTS: certFile}})).stdout;
    expect(await ask()).toBe('hello\n');
    await enter(rig);
    expect(await ask()).toBe('hello\n');
    expect([way.count(), server.requests.length]).toEqual([1, 1]); // fresh: nothing to connect for
    await writeFile(join(rig.dir, 'account'), 'another');
    await enter(rig);
    await way.arrived(2); // nothing runs: the daemon has connected ahead
    expect(await ask()).toBe('hello\n');
    expect([way.count(), server.requests.length]).toEqual([2, 2]);
    const {steps, spans} = await rig.lastRecord();
    const answer = steps.find(({step}) => step === 'asker/answer');
    expect(answer?.spans.map(({name}) => name)).toEqual(['connection ahead']);
    expect(spans.map(({name}) => name)).toContain('warm-up preconnect/look-ups');
    expect((await rig.run(['savings'])).stdout).toMatch(
      /preconnect\/look-ups warmed up in \d launch(?:es)? of the newest \(used \d\)/,
    );
  });
});
