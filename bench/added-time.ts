/** What launching a program through us adds to it, against the start of a bare Node. */
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {interleave, publish, ratioFigure, rounds} from './lib/bench.js';
import {timeSync} from './lib/spawned.js';
import {median} from './lib/statistics.js';

await using rig = await LaunchRig.create();
await rig.startDaemon();
const where = {env: rig.environment(), cwd: rig.dir};

const samples = await interleave(rounds(60), {
  '/bin/true': () => timeSync(['/bin/true'], where),
  'bootcut run -- /bin/true': () => timeSync([bootcut, 'run', '--', '/bin/true'], where),
  'node -e 0': () => timeSync(['node', '-e', '0'], where),
});
const added = median(samples['bootcut run -- /bin/true']) - median(samples['/bin/true']);
publish({
  name: 'added-time',
  title: 'added wall time of a warm launch of /bin/true (Node front)',
  endpoint: 'spawn to end of the process, by the parent’s clock; daemon running, warm',
  figures: [
    {what: 'added', value: `${added.toFixed(1)} ms`},
    ratioFigure('added / node -e 0 (the goal is the native launcher’s)', added / median(samples['node -e 0']), 0.1),
  ],
  samples,
});
