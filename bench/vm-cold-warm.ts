/** Look-ups of 1,290 and 886 ms beside the boot of our own microVM: nothing cached against everything cached. */
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {documentNetwork} from '../test/rig/agent-vm.js';
import {linkPlugin} from '../test/rig/linked-plugin.js';
import {interleave, publish, ratioFigure, rounds} from './lib/bench.js';
import {median} from './lib/statistics.js';
import {toFirstOutput, vmHome} from './lib/vm-rig.js';

/** As slow as agent-vm's two look-ups in its published profile: the identity holds the first command, the check nothing. */
const slow = (identity: number, check: number): string => `
import {check, definePlugin, days, lookup} from 'bootcut/plugin';
const after = (value, milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));
const text = (value) => { if (typeof value !== 'string') throw new Error('no text'); return value; };
export default definePlugin({name: 'slow', steps: [
  lookup({name: 'identity', neededBy: 'run', freshFor: days(1), keepFor: days(7), key: () => [],
    read: () => after('Ann', ${identity}), parse: text, apply: (value) => [{kind: 'set-env', name: 'IDENTITY', value}]}),
  check({name: 'update', freshFor: days(1), keepFor: days(7), key: () => [], read: () => after('same', ${check}),
    parse: text, notice: () => undefined}),
]});
`;

await using rig = await vmHome('debian');
await rig.run(['config', 'set', 'standby', 'false']);
await linkPlugin(rig, 'slow', slow(documentNetwork.ghApiUser, documentNetwork.registry));
const templates = join(rig.home, '.cache', 'bootcut', 'qemu', 'templates');

/** A boot from nothing: neither a VM that waits nor a saved one. */
const launch = async (isCold: boolean): Promise<number> => {
  await rm(templates, {recursive: true, force: true});
  if (isCold) await rig.run(['cache', 'clear', 'slow']);
  return await toFirstOutput(rig, ['sh', '-c', 'test "$IDENTITY" = Ann && echo "$IDENTITY"'], ['--without', 'standby']);
};
await launch(true);
const samples = await interleave(rounds(10), {cold: () => launch(true), warm: () => launch(false)});
publish({
  name: 'vm-cold-warm',
  title: 'look-ups of 1,290 and 886 ms beside the boot of our own microVM (debian guest, emulated)',
  endpoint:
    'spawn of bootcut to the first byte of a command that needs the slow identity, by the parent’s clock; cold: neither answer stored; each VM booted from nothing',
  figures: [ratioFigure('cold / warm', median(samples.cold) / median(samples.warm), 1.03)],
  samples,
});
