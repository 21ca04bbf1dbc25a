/** Many VMs: cold boots that must not hang, launches in a row and at once that must leave nothing behind. */
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {LaunchRig} from '../test/rig/launch-rig.js';
import {publish, rounds} from './lib/bench.js';
import {toFirstOutput, vmHome} from './lib/vm-rig.js';

/** Longest a boot may take before it counts as hung; the median is a second or two. Milliseconds. */
const hangs = 30_000;

await using debian = await vmHome('debian');
await using small = await vmHome('small');

/** Everything of this home that could be left: processes, sockets, files of single launches, mounts. */
const leftOvers = async (rig: LaunchRig): Promise<string> => {
  const found = await rig.shell(
    [
      `pgrep -af '^[^ ]*(qemu-system-x86_64|bootcut-vm).*${rig.root}' || true`,
      `find ${rig.root} '(' -name 'values-*' -o -name 'standby-*' -o -name 'timeline-*' ')'`,
      `grep ${rig.root} /proc/mounts || true`,
    ].join('; '),
  );
  return found.stdout.trim();
};

const boots = async (rig: LaunchRig, count: number): Promise<{readonly took: number[]; readonly hung: number}> => {
  await rig.run(['config', 'set', 'standby', 'false']);
  const took: number[] = [];
  let hung = 0;
  for (let done = 0; done < count; done += 1) {
    await rm(join(rig.home, '.cache', 'bootcut', 'qemu', 'templates'), {recursive: true, force: true});
    const boot = toFirstOutput(rig, ['echo', 'up'], ['--without', 'standby']);
    const limit = new Promise<undefined>((resolve) => setTimeout(resolve, hangs, undefined).unref());
    const milliseconds = await Promise.race([boot, limit]);
    if (milliseconds === undefined) hung += 1;
    else took.push(milliseconds);
  }
  return {took, hung};
};

const count = rounds(200);
const ofDebian = await boots(debian, count / 2);
const ofSmall = await boots(small, count / 2);
const afterBoots = [await leftOvers(debian), await leftOvers(small)].filter((text) => text !== '').join('\n');

await debian.run(['config', 'unset', 'standby']);
const inARow: number[] = [];
for (let done = 0; done < 50; done += 1) inARow.push(await toFirstOutput(debian, ['echo', 'up']));
const atOnce = await Promise.all(Array.from({length: 8}, () => toFirstOutput(debian, ['echo', 'up'])));
await debian.run(['standby', 'drop']);
await debian.run(['daemon', 'stop']);
const atTheEnd = await leftOvers(debian);

publish({
  name: 'vm-endurance',
  title: 'many VMs: no hang, nothing left',
  endpoint: 'spawn of bootcut to the first byte of `echo up`, by the parent’s clock; look-ups warm; emulated',
  figures: [
    {
      what: `cold boots that hung, of ${count}`,
      value: String(ofDebian.hung + ofSmall.hung),
      goal: '0',
      met: ofDebian.hung + ofSmall.hung === 0,
    },
    {
      what: 'left behind by them',
      value: afterBoots === '' ? 'nothing' : afterBoots,
      goal: 'nothing',
      met: afterBoots === '',
    },
    {
      what: 'left behind by 50 launches in a row and 8 at once, standbys on, after the daemon’s end',
      value: atTheEnd === '' ? 'nothing' : atTheEnd,
      goal: 'nothing',
      met: atTheEnd === '',
    },
  ],
  samples: {
    'debian guest, cold': ofDebian.took,
    'small guest, cold': ofSmall.took,
    '50 in a row': inARow,
    '8 at once': atOnce,
  },
});
