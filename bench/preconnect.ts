/**
 * A program that talks to a host with a slow way to it once it has started: with the connection made beside its start, and
 * without (checklist A11, published: relays connected 2,044 → 1,517 ms); and three requests of one look-up.
 */

import {httpClient} from '../src/steps/http-client.js';
import {makeCertificate} from '../test/rig/certificate.js';
import {startDelayProxy} from '../test/rig/delay-proxy.js';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {requireProgram} from '../test/rig/program.js';
import {startScriptedServer} from '../test/rig/scripted-server.js';
import {interleave, publish, rounds} from './lib/bench.js';
import {time} from './lib/spawned.js';
import {median} from './lib/statistics.js';

requireProgram('curl', 'curl');

/** Seconds until the published program asks for its relays, and milliseconds that a connection to them takes. */
const published = {start: 1.4, connect: 527};
/** The same for a short one. */
const short = {start: 0.25, connect: 150};

await using rig = await LaunchRig.create();
const {key, cert, certFile} = await makeCertificate(rig.root);
await using server = await startScriptedServer({tls: {key, cert}, answer: () => ({body: 'hello\n'})});
await using way = await startDelayProxy({target: server.port, mode: 'tcp'});
const far = `localhost:${way.port}`;
for (const [name, value] of Object.entries({hosts: far, proxy: 'true', connections: '1'})) {
  await rig.run(['config', 'set', `plugins.preconnect.${name}`, value]);
}
await rig.run(['config', 'set', 'holdback', '0']);
await rig.run(['savings', 'switch', 'preconnect', 'on']);
await rig.startDaemon();
const where = {env: rig.environment(), cwd: rig.dir};
const curl = `curl -sS --max-time 20 --cacert ${certFile} https://${far}/`;

const launched =
  ({start, connect}: typeof published, options: readonly string[]) =>
  async (): Promise<number> => {
    way.setDelay(connect);
    return await time([bootcut, 'run', ...options, '--', 'sh', '-c', `sleep ${start}; ${curl}`], where);
  };

const launch = {env: {SSL_CERT_FILE: certFile}, cwd: rig.dir};
const lookUp = async (pause: number): Promise<number> => {
  way.setDelay(short.connect);
  await new Promise((resolve) => setTimeout(resolve, 2200)); // what was kept before is gone
  const began = performance.now();
  for (let request = 0; request < 3; request += 1) {
    await (await httpClient(launch)).get(`https://${far}/`, {headers: pause > 0 ? {connection: 'close'} : {}});
  }
  return performance.now() - began;
};

const samples = await interleave(rounds(10), {
  'published: without': launched(published, ['--without', 'preconnect']),
  'published: connected ahead': launched(published, []),
  'short: without': launched(short, ['--without', 'preconnect']),
  'short: connected ahead': launched(short, []),
  'three requests, a connection each': async () => await lookUp(1),
  'three requests of one look-up': async () => await lookUp(0),
});
const of = (name: keyof typeof samples): number => median(samples[name]);
const change = (before: keyof typeof samples, after: keyof typeof samples): string =>
  `${of(before).toFixed(0)} → ${of(after).toFixed(0)} ms (${(of(before) - of(after)).toFixed(0)} ms less)`;
publish({
  name: 'preconnect',
  title: 'connections made ahead (A11; published: 2,044 → 1,517 ms)',
  endpoint:
    'spawn of bootcut to the end of a program that starts, then asks the far host once (curl); daemon running; ' +
    'the far host accepts after the delay, TLS is the program’s own',
  figures: [
    {
      what: `start of ${published.start} s, way of ${published.connect} ms`,
      value: change('published: without', 'published: connected ahead'),
    },
    {
      what: `start of ${short.start} s, way of ${short.connect} ms`,
      value: change('short: without', 'short: connected ahead'),
    },
    {
      what: `three requests of a look-up, way of ${short.connect} ms: a connection each → kept`,
      value: change('three requests, a connection each', 'three requests of one look-up'),
    },
  ],
  samples,
});
