import {createServer, type Server} from 'node:net';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import type {ConnectReport} from '../../../src/readiness/connect-url.js';
import {type Certificate, makeSignedCertificate} from '../../rig/certificate.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {type ScriptedServer, startScriptedServer} from '../../rig/scripted-server.js';

let rig: LaunchRig;
let certificate: Certificate;
let server: ScriptedServer;
beforeAll(async () => {
  rig = await LaunchRig.create();
  certificate = await makeSignedCertificate(rig.root);
  server = await startScriptedServer({answer: () => ({status: 204}), tls: certificate});
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

const parsed = (text: string): ConnectReport => JSON.parse(text) as ConnectReport;

describe('connect to https (C5)', () => {
  it('times the handshake by itself, with a server whose authority NODE_EXTRA_CA_CERTS names', async () => {
    const env = {NODE_EXTRA_CA_CERTS: certificate.certFile};
    const url = `https://localhost:${server.port}/health`;
    const {status, stdout, stderr} = await rig.run(['connect', url, '--json'], {env});
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    const report = parsed(stdout);
    expect(report).toMatchObject({status: 204, certificate: null, fault: null, failedAt: null});
    expect(report.parts.map(({name}) => name)).toEqual(['resolve', 'connect', 'tls', 'request', 'first-byte']);
    expect(report.parts.find(({name}) => name === 'tls')?.ms).toBeGreaterThan(0);
    expect(server.requests.at(-1)).toMatchObject({method: 'GET', url: '/health'});
  });

  it('says in one line that it does not trust the certificate, and sends no request', async () => {
    const before = server.requests.length;
    const url = `https://localhost:${server.port}/`;
    const {status, stdout, stderr} = await rig.run(['connect', url]);
    expect({status, stderr}).toEqual({status: 1, stderr: ''});
    expect(stdout.split('\n')[0]).toMatch(
      /^https:.* at 127\.0\.0\.1: tls: the certificate is not trusted: .* \(\w+\); NODE_EXTRA_CA_CERTS=FILE adds an authority, --any-certificate goes on without$/,
    );
    expect(stdout).not.toMatch(/first-byte|\n\s+at /);
    expect(server.requests).toHaveLength(before);
    const json = parsed((await rig.run(['connect', url, '--json'])).stdout);
    expect(json).toMatchObject({
      failedAt: 'tls',
      status: null,
      certificate: expect.stringMatching(/CERT|ISSUER|SIGNATURE/) as string,
    });
  });

  it('goes on whatever the certificate is where that is asked for, and says what is wrong with it', async () => {
    const {status, stdout} = await rig.run(['connect', `https://localhost:${server.port}/`, '--any-certificate']);
    expect(status).toBe(0);
    expect(stdout).toContain('answered with 204');
    expect(stdout).toMatch(/Its certificate is not trusted \(\w+\)\./);
  });

  it('knows a certificate for another name; an address is asked for without a warning of Node’s', async () => {
    const env = {NODE_EXTRA_CA_CERTS: certificate.certFile};
    const {status, stdout, stderr} = await rig.run(['connect', `https://127.0.0.1:${server.port}/`], {env});
    expect({status, stderr}).toEqual({status: 1, stderr: ''});
    expect(stdout.split('\n')[0]).toContain('(ERR_TLS_CERT_ALTNAME_INVALID)');
    const until = ['--until', `https://127.0.0.1:${server.port}/`, '--until-limit', '100ms'];
    expect((await rig.run(['run', ...until, '--', 'sleep', '0.3'])).stderr).not.toContain('Warning');
  });

  it('says in one line that what answers is no TLS, and that nothing answers', async () => {
    await using plain = await startScriptedServer({answer: () => ({})});
    const spoken = await rig.run(['connect', `https://localhost:${plain.port}/`]);
    expect(spoken.status).toBe(1);
    expect(spoken.stdout.split('\n')[0]).toMatch(/: tls: TLS failed: \S/);
    const silent = await listening();
    const {port} = silent.address() as {readonly port: number};
    const waited = await rig.run(['connect', `https://localhost:${port}/`, '--limit', '200ms']);
    silent.close();
    expect(waited.stdout.split('\n')[0]).toContain('tls: TLS did not come about within the limit');
  });
});

/** Takes connections and says nothing; each goes when its client does. */
const listening = async (): Promise<Server> => {
  const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  return silent;
};
