import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {makeCertificate} from '../../rig/certificate.js';
import {type DelayProxy, startDelayProxy} from '../../rig/delay-proxy.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {linkPlugin} from '../../rig/linked-plugin.js';
import {requireProgram} from '../../rig/program.js';
import {type ScriptedServer, startScriptedServer} from '../../rig/scripted-server.js';

requireProgram('curl', 'curl');

/** A launch rig with a far host over TLS; `way` counts the connections to it. */
interface FarRig extends AsyncDisposable {
  readonly rig: LaunchRig;
  readonly server: ScriptedServer;
  readonly way: DelayProxy;
  readonly far: string;
  /** Asks a far host, by whatever proxy its environment names. */
  readonly curl: (address?: string) => string;
}

const farRig = async (settings: Readonly<Record<string, string>> = {}): Promise<FarRig> => {
  const rig = await LaunchRig.create();
  const {key, cert, certFile} = await makeCertificate(rig.root);
  const server = await startScriptedServer({tls: {key, cert}, answer: () => ({body: 'hello\n'})});
  const way = await startDelayProxy({target: server.port, mode: 'tcp'});
  const far = `localhost:${way.port}`;
  for (const [name, value] of Object.entries({hosts: far, proxy: 'true', connections: '1', ...settings})) {
    await rig.run(['config', 'set', `plugins.preconnect.${name}`, value]);
  }
  await rig.run(['config', 'set', 'holdback', '0']);
  await rig.run(['savings', 'switch', 'preconnect', 'on']);
  await rig.startDaemon();
  return {
    rig,
    server,
    way,
    far,
    curl: (address = far) => `curl -sS --max-time 20 --cacert ${certFile} https://${address}/`,
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await way[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};

/** A target that begins when the test says so: until then the connections are made. */
const gated = (rig: LaunchRig, script: string): readonly string[] => [
  'run',
  '--',
  'sh',
  '-c',
  `while [ ! -e ${join(rig.root, 'go')} ]; do sleep 0.02; done; ${script}`,
];

const go = async (rig: LaunchRig): Promise<void> => await writeFile(join(rig.root, 'go'), '');

const saidOf = async (rig: LaunchRig): Promise<unknown> =>
  (await rig.lastRecord()).optimizations?.find(({name}) => name === 'preconnect/connections')?.said;

describe('A11: connections made ahead', () => {
  it('are handed to the target, and the record says what they were good for', async ({expect}) => {
    await using far = await farRig();
    const {rig, way, curl} = far;
    const launch = rig.run(gated(rig, `${curl()}; sleep 0.5`));
    await way.arrived(2); // one held, one to look at the certificate
    expect(far.server.requests.length).toBe(0);
    await go(rig);
    expect((await launch).stdout).toBe('hello\n');
    expect(way.count()).toBe(2);
    expect(await saidOf(rig)).toMatchObject({
      [far.far]: {connected: 1, used: 1, tls: 'DEPTH_ZERO_SELF_SIGNED_CERT'},
    });
  });

  it('are made to the hosts that a plugin names for the program, and for no other', async ({expect}) => {
    await using far = await farRig({hosts: ''});
    const {rig, way, curl} = far;
    const hosts = [{program: 'sh', hosts: [far.far]}];
    await linkPlugin(rig, 'test-hosts', `export default {name: 'test-hosts', hosts: ${JSON.stringify(hosts)}};`);
    await rig.run(['daemon', 'stop']);
    await rig.startDaemon();
    await rig.run(['run', '--', 'env', 'sh', '-c', curl()]);
    expect(way.count()).toBe(1); // its own
    const launch = rig.run(gated(rig, `${curl()}; sleep 0.5`));
    await way.arrived(3);
    await go(rig);
    expect((await launch).stdout).toBe('hello\n');
    expect(way.count()).toBe(3);
    expect(await saidOf(rig)).toMatchObject({[far.far]: {connected: 1, used: 1}});
    expect((await rig.run(['savings'])).stdout).toContain(
      'preconnect/connections warmed up in 1 launch of the newest (connected 1, used 1).',
    );
  });

  it('are not made with --without, which restores the old path', async ({expect}) => {
    await using far = await farRig();
    const {rig, way, curl} = far;
    const script = `echo "[$HTTPS_PROXY]"; ${curl()}`;
    const {stdout} = await rig.run(['run', '--without', 'preconnect', '--', 'sh', '-c', script]);
    expect(stdout).toBe('[]\nhello\n');
    expect(way.count()).toBe(1);
    expect((await rig.lastRecord()).steps).toEqual([]);
  });

  it('leave a proxy of the user’s own in its place', async ({expect}) => {
    await using far = await farRig();
    const {stdout} = await far.rig.run(['run', '--', 'sh', '-c', 'echo "$HTTPS_PROXY $https_proxy"'], {
      env: {https_proxy: 'http://proxy.example:3128'},
    });
    expect(stdout).toBe(' http://proxy.example:3128\n');
  });

  it('need no proxy: without the setting the target finds none', async ({expect}) => {
    await using far = await farRig({proxy: 'false'});
    const {stdout} = await far.rig.run(['run', '--', 'sh', '-c', `echo "[$HTTPS_PROXY]"; ${far.curl()}`]);
    expect(stdout).toBe('[]\nhello\n');
  });

  it('keep the target from no other host', async ({expect}) => {
    await using far = await farRig({hosts: 'localhost:1'});
    const {stdout, status} = await far.rig.run(['run', '--', 'sh', '-c', `${far.curl()}; ${far.curl('localhost:1')}`]);
    expect(stdout).toBe('hello\n');
    expect(status).toBe(56); // curl's for a proxy that says 502: nobody listens there
    expect(far.way.count()).toBe(1);
  });

  it('are replaced by new ones once they are used or the far end has closed them', async ({expect}) => {
    await using far = await farRig();
    const {stdout} = await far.rig.run(['run', '--', 'sh', '-c', `${far.curl()}; ${far.curl()}; ${far.curl()}`]);
    expect(stdout).toBe('hello\nhello\nhello\n');
  });

  it('end with the launch', async ({expect}) => {
    const open = new Set<Socket>();
    const silent = createServer((socket) => {
      open.add(socket);
      socket
        .resume()
        .on('error', () => undefined)
        .once('close', () => open.delete(socket));
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    await using far = await farRig({hosts: `localhost:${(silent.address() as AddressInfo).port}`, connections: '3'});
    const launch = far.rig.run(gated(far.rig, 'true'));
    await expect.poll(() => open.size).toBe(4);
    await go(far.rig);
    await launch;
    await expect.poll(() => open.size).toBe(0);
    silent.close();
  });

  it.skipIf(process.geteuid?.() !== 0)('are not for other users of the machine', async ({expect}) => {
    requireProgram('setpriv', 'util-linux');
    await using far = await farRig();
    const stranger = 'setpriv --reuid 65534 --clear-groups curl -sS --max-time 20 -k';
    const {stdout} = await far.rig.run([
      'run',
      '--',
      'sh',
      '-c',
      `${stranger} https://${far.far}/; echo "$?"; ${far.curl()}`,
    ]);
    expect(stdout).toMatch(/^(?:5[26]|35)\nhello\n$/); // closed before it said anything
  });
});
