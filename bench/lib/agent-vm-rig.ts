import {type AgentVm, type AgentVmLatencies, type AgentVmVersion, makeAgentVm} from '../../test/rig/agent-vm.js';
import {bootcut, LaunchRig} from '../../test/rig/launch-rig.js';
import {run} from '../../test/rig/program.js';
import type {FarServices} from './far-services.js';
import {time, type Where} from './spawned.js';

/** A home with the agent-vm stand-in in it, a repository to launch in, and far services to ask. */
export interface AgentVmRig extends AsyncDisposable {
  readonly rig: LaunchRig;
  readonly agentVm: AgentVm;
  readonly where: Where;
  /** `agent-vm shell … true` by itself: wall time. */
  readonly alone: () => Promise<number>;
  /** The same through us; `flags` are ours. */
  readonly through: (flags?: readonly string[]) => Promise<number>;
}

export const makeAgentVmRig = async (
  services: FarServices,
  options: {readonly version: AgentVmVersion; readonly latencies?: AgentVmLatencies},
): Promise<AgentVmRig> => {
  const agentVm = await makeAgentVm({...options, imageDigest: services.imageDigest});
  const rig = await LaunchRig.create({path: [agentVm.dir], env: services.env});
  await run(['git', 'init', '-q', rig.dir], {env: rig.env});
  await run(['git', '-C', rig.dir, 'remote', 'add', 'origin', 'https://github.com/team/project.git'], {env: rig.env});
  const where = {env: rig.environment(), cwd: rig.dir};
  const rest = ['--image', services.image, 'true'];
  return {
    rig,
    agentVm,
    where,
    alone: () => time([agentVm.path, 'shell', ...rest], where),
    through: (flags = []) => time([bootcut, 'shell', ...flags, ...rest], where),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await agentVm[Symbol.asyncDispose]();
    },
  };
};
