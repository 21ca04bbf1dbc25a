/**
 * A certificate import in the launch of every tool, against the same import put off until `certutil` runs (checklist V13),
 * with work of the published length and with the real certutil where it is installed; and what a shim costs.
 */
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {makeCertificate} from '../test/rig/certificate.js';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {linkPlugin} from '../test/rig/linked-plugin.js';
import {interleave, publish, rounds} from './lib/bench.js';
import {timeSync} from './lib/spawned.js';
import {median} from './lib/statistics.js';

/** Milliseconds that the import takes in the published profile, and about what is left of that launch without it. */
const published = {work: 270, rest: 35};

/** Starts of `true` in one sample of a shim's cost. */
const starts = 100;

const hasCertutil = spawnSync('certutil', ['-H']).error === undefined;

/** A step `work` in its own plugin, needed at the start of the run or at the first use of a command. */
const plugin = (name: string, need: string, body: string): string => `
import {action, definePlugin, run} from 'bootcut/plugin';
import {rmSync, mkdirSync} from 'node:fs';
export default definePlugin({name: '${name}', steps: [action({name: 'work', ${need}, act: async (launch, {signal}) => {
  ${body}
  return [];
}})]});
`;
const inLaunch = "neededBy: 'run'";
const putOff = (command: string): string => `neededBy: 'first-use', trigger: {command: '${command}'}`;
const scripted = `await new Promise((resolve) => setTimeout(resolve, ${published.work}));`;

await using rig = await LaunchRig.create();
const store = join(rig.root, 'nss');
const {certFile: certificate} = await makeCertificate(rig.root);
const real = `
  rmSync('${store}', {recursive: true, force: true});
  mkdirSync('${store}');
  await run(launch, ['certutil', '-N', '-d', 'sql:${store}', '--empty-password'], {signal});
  await run(launch, ['certutil', '-A', '-d', 'sql:${store}', '-n', 'ca', '-t', 'C,,', '-i', '${certificate}'], {signal});
`;
const giving = (body: string): string => body.replace('return [];', 'return undefined;');
await linkPlugin(rig, 'scripted-before', plugin('scripted-before', inLaunch, scripted));
await linkPlugin(rig, 'scripted-later', giving(plugin('scripted-later', putOff('import-user'), scripted)));
await linkPlugin(rig, 'unneeded', giving(plugin('unneeded', `${putOff('import-user')}, when: () => false`, scripted)));
await linkPlugin(rig, 'idle', giving(plugin('idle', putOff('true'), '')));
if (hasCertutil) {
  await linkPlugin(rig, 'real-before', plugin('real-before', inLaunch, real));
  await linkPlugin(rig, 'real-later', giving(plugin('real-later', putOff('certutil'), real)));
}
const all = ['unneeded', 'scripted-before', 'scripted-later', 'idle', 'real-before', 'real-later'];
const bin = join(await rig.script('import-user', '#!/bin/sh\nexit 0\n'), '..');
const where = {env: {...rig.environment(), PATH: `${bin}:${rig.env['PATH'] ?? ''}`}, cwd: rig.dir};
const rest = `sleep ${published.rest / 1000}`;
await rig.startDaemon();

const launch = (step: string | undefined, script: string): number => {
  const without = all.filter((name) => name !== step).join(',');
  return timeSync([bootcut, 'run', '--without', without, '--', 'sh', '-c', script], where);
};
const loop = `n=0; while [ $n -lt ${starts} ]; do env true; n=$((n+1)); done`;

const arms: Readonly<Record<string, () => number>> = {
  'with a step that does not apply': () => launch('unneeded', rest),
  'in the launch': () => launch('scripted-before', rest),
  'put off, not used': () => launch('scripted-later', rest),
  'put off, used once': () => launch('scripted-later', `import-user; ${rest}`),
  'put off, used twice': () => launch('scripted-later', `import-user; import-user; ${rest}`),
  ...(hasCertutil
    ? {
        'certutil in the launch': () => launch('real-before', rest),
        'certutil put off, not used': () => launch('real-later', rest),
        'certutil put off, used': () => launch('real-later', `certutil -L -d sql:${store}; ${rest}`),
      }
    : {}),
  [`${starts} starts of true`]: () => launch(undefined, loop),
  [`${starts} starts of true through the shim`]: () => launch('idle', loop),
};
const samples = await interleave(rounds(20), arms);
const of = (name: string): number => median(samples[name] ?? []);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const shim = (of(`${starts} starts of true through the shim`) - of(`${starts} starts of true`)) / starts;
publish({
  name: 'first-use',
  title: `an import of ${published.work} ms put off to its first use (V13; published: 310 → about 38 ms)`,
  endpoint: 'spawn of bootcut to its end, by the parent’s clock; daemon running, warm; the target itself takes 35 ms',
  figures: [
    {what: 'in the launch → put off, not used', value: `${ms(of('in the launch'))} → ${ms(of('put off, not used'))}`},
    {
      what: 'put off, not used, added to a launch to which the step does not apply',
      value: ms(of('put off, not used') - of('with a step that does not apply')),
    },
    {what: 'used once / twice', value: `${ms(of('put off, used once'))} / ${ms(of('put off, used twice'))}`},
    ...(hasCertutil
      ? [
          {
            what: 'real certutil: in the launch → put off, not used / used',
            value: `${ms(of('certutil in the launch'))} → ${ms(of('certutil put off, not used'))} / ${ms(of('certutil put off, used'))}`,
          },
        ]
      : [{what: 'real certutil', value: 'not measured: libnss3-tools is not installed'}]),
    {what: 'a start through the shim, added', value: `${shim.toFixed(3)} ms`},
  ],
  samples,
});
