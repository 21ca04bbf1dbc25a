import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Launch} from 'bootcut/plugin';
import {type RecordedRequest, type ScriptedAnswer, startScriptedServer} from '../../../rig/scripted-server.js';
import {startProxy} from './proxy.js';

/**
 * A TLS server that passes for public hosts: reached through a proxy that sends every tunnel there, and trusted by a CA
 * file. `env` is what a launch needs to find it.
 */
export const startFarHost = async (hosts: readonly string[], answer: (request: RecordedRequest) => ScriptedAnswer) => {
  const directory = await mkdtemp(join(tmpdir(), 'bootcut-far-'));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const names = hosts.map((host) => `DNS:${host}`).join();
  const subject = ['-subj', '/CN=far', '-addext', `subjectAltName=${names}`, '-days', '1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject]);
  const tls = {key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8')};
  const server = await startScriptedServer({answer, tls});
  const proxy = await startProxy({to: server.port});
  const env: Launch['env'] = {HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: cert};
  return {
    env,
    port: server.port,
    requests: server.requests,
    asked: proxy.asked,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(directory, {recursive: true});
    },
  };
};
