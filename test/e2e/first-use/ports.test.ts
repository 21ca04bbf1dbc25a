import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server} from 'node:net';
import {describe, it} from 'vitest';
import {linkFirstUse} from '../../rig/first-use-plugin.js';
import {type Front, LaunchRig, planners} from '../../rig/launch-rig.js';

const rigFor = async ({daemon, env}: Front): Promise<LaunchRig> => {
  const rig = await LaunchRig.create({env});
  if (daemon) await rig.startDaemon();
  return rig;
};

/** Gives back what it is sent, in capital letters, at the end of the sender's half. */
const startShouter = async (): Promise<AsyncDisposable & {readonly port: number; readonly server: Server}> => {
  const server = createServer({allowHalfOpen: true}, (client) => {
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    client.on('end', () => client.end(text.toUpperCase())).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
};

/** Sends a text to the port in a variable, prints what comes back and how it ended. */
const client = `
const socket = require('node:net').connect({port: Number(process.env.FAR_PORT), host: '127.0.0.1', allowHalfOpen: true});
socket.on('data', (chunk) => process.stdout.write(chunk)).on('error', (error) => console.log(error.code));
socket.on('close', () => console.log('closed')).on('end', () => socket.end());
socket.end(process.argv[1]);
`;

const talk = (text: string): string => `node -e '${client.replaceAll("'", `'\\''`)}' ${text}`;

describe.each(planners)('a step put off until a port is connected to, $front', (front) => {
  it('does not run in a launch that never connects, and listens no longer than the launch', async ({expect}) => {
    await using rig = await rigFor(front);
    const plugin = await linkFirstUse(rig, "{port: 'FAR_PORT'}", 'return {port: 9};');
    const {stdout, status} = await rig.run(['run', '--', 'sh', '-c', 'echo "$FAR_PORT"; exit 7']);
    expect(status).toBe(7);
    const port = Number(stdout);
    expect(port).toBeGreaterThan(0);
    expect(await plugin.runs()).toBe(0);
    expect((await rig.lastRecord()).steps[0]?.state).toBe('not-used');
    const [error] = (await once(connect(port, '127.0.0.1'), 'error').catch((thrown: unknown) => [thrown])) as [
      NodeJS.ErrnoException,
    ];
    expect(error.code).toBe('ECONNREFUSED');
  });

  it('runs once, and each connection is joined to the address it gives', async ({expect}) => {
    await using rig = await rigFor(front);
    await using far = await startShouter();
    const plugin = await linkFirstUse(rig, "{port: 'FAR_PORT'}", `return {port: ${far.port}};`);
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', `${talk('one')}; ${talk('two')}`]);
    expect(stdout).toBe('ONEclosed\nTWOclosed\n');
    expect(await plugin.runs()).toBe(1);
    expect((await rig.lastRecord()).steps[0]?.state).toBe('read');
  });

  it('that fails costs the connection', async ({expect}) => {
    await using rig = await rigFor(front);
    const plugin = await linkFirstUse(rig, "{port: 'FAR_PORT'}", `throw new Error('on purpose');`);
    const {stdout, status} = await rig.run(['run', '--', 'sh', '-c', `${talk('one')}; ${talk('two')}; exit 7`]);
    expect(status).toBe(7);
    expect(stdout.match(/closed/g)?.length).toBe(2);
    expect(await plugin.runs()).toBe(1);
    expect((await rig.lastRecord()).steps[0]).toMatchObject({state: 'failed', reason: 'threw'});
  });

  it('leaves a port to who has it', async ({expect}) => {
    await using rig = await rigFor(front);
    await using far = await startShouter();
    await linkFirstUse(rig, `{port: ${far.port}}`, 'return {port: 9};');
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', `FAR_PORT=${far.port}; export FAR_PORT; ${talk('one')}`]);
    expect(stdout).toBe('ONEclosed\n');
    expect((await rig.lastRecord()).steps[0]).toMatchObject({state: 'failed', reason: 'taken'});
  });
});
