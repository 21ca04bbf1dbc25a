/** Everything warm: what planning a launch takes inside the daemon, against agent-vm's own work before its boot. */
import {bootcut} from '../test/rig/launch-rig.js';
import {makeAgentVmRig} from './lib/agent-vm-rig.js';
import {interleave, publish, ratioFigure, rounds, timeFigure} from './lib/bench.js';
import {startFarServices} from './lib/far-services.js';
import {time} from './lib/spawned.js';
import {median, quantile} from './lib/statistics.js';

const count = rounds(200);
await using services = await startFarServices({ghApiUser: 0, registry: 0});
await using made = await makeAgentVmRig(services, {version: '0.1.28'});
const {rig, agentVm, where} = made;
await rig.startDaemon();
await made.alone(); // fills agent-vm's own caches
await interleave(0, {shell: () => made.through()}); // fills ours
const requests = services.userRequests() + services.registryRequests();
const runs = (await agentVm.runs()).length;
const records = (await rig.records()).length;

await interleave(count, {
  alone: made.alone,
  through: () => made.through(),
  program: () => time([bootcut, 'run', '--with', 'git-identity,github-repos', '--', '/bin/true'], where),
});

const planned = (await rig.records()).slice(records);
const planning = (runtime: string): number[] =>
  planned
    .filter((record) => record.runtime === runtime && record.via === 'daemon' && record.temperature === 'warm')
    .slice(1)
    .map(({spans}) => spans.find(({name}) => name === 'planning'))
    .map((span) => (span === undefined ? Number.NaN : span.to - span.from));
// Without us in front, agent-vm is the child of this process.
const own = (await agentVm.runs())
  .slice(runs)
  .filter(({ppid}) => ppid === process.pid)
  .slice(1)
  .map(({timings}) => (timings['preBoot'] ?? Number.NaN) - (timings['session'] ?? Number.NaN));
const samples = {
  'shell: planning in the daemon': planning('agent-vm'),
  'run: planning in the daemon': planning('process'),
  'agent-vm 0.1.28: own pre-boot': own,
};
const shell = samples['shell: planning in the daemon'];
publish({
  name: 'warm-pre-boot',
  title: 'pre-boot, everything warm',
  endpoint:
    'in the daemon: request read to plan composed (record span `planning`); agent-vm stand-in: session line to boot line, its own caches warm, its check answered at once; all warm',
  figures: [
    timeFigure('planning of shell, median', median(shell), 2),
    timeFigure('planning of shell, p99', quantile(shell, 0.99), 5),
    ratioFigure('planning of shell / agent-vm’s own pre-boot', median(shell) / median(own), 2 / 32),
    {
      what: 'launches that were warm and through the daemon',
      value: `${shell.length} of ${count} shell, ${planning('process').length} of ${count} run`,
    },
    {
      what: 'requests upstream by our look-ups and checks',
      value: `${services.userRequests() + services.registryRequests() - requests} (agent-vm alone asks the registry at each launch)`,
    },
  ],
  samples,
});
