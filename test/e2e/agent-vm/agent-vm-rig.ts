import {createHash} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {type AgentVm, type AgentVmOptions, makeAgentVm} from '../../rig/agent-vm.js';
import {type GitHub, ghEnv, startGitHub} from '../../rig/github.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {type Pushed, type Registry, startRegistry} from '../../rig/registry.js';

/** Shape of GitHub's user object, as far as tests set it. */
export const ann = {login: 'ann', id: 7, name: 'Ann Lee', email: 'ann@example.org'};
export const bob = {login: 'bob', id: 8, name: 'Bob Ray', email: 'bob@example.org'};

/** A launch rig with agent-vm's stand-in, GitHub over TLS behind the real gh, and the real registry. */
export interface AgentVmRig extends AsyncDisposable {
  readonly rig: LaunchRig;
  readonly agentVm: AgentVm;
  readonly github: GitHub;
  readonly registry: Registry;
  readonly pushed: Pushed;
  /** agent-vm's state root. */
  readonly state: string;
  /** Environment of launches. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes the image in the registry newer than the cached one. */
  readonly pushNewer: () => Promise<Pushed>;
  readonly identityFile: () => Promise<string>;
}

export const createAgentVmRig = async (
  options: AgentVmOptions & {readonly marker?: boolean} = {},
): Promise<AgentVmRig> => {
  const registry = await startRegistry();
  const pushed = await registry.push('wirenboard/agent-vm-template', 'latest', {content: 'one'});
  const digest = pushed.platformDigests['linux/amd64'] ?? '';
  const agentVm = await makeAgentVm({imageDigest: digest, ...options});
  const github = await startGitHub({users: {'token-ann': ann, 'token-bob': bob}});
  const rig = await LaunchRig.create({path: [agentVm.dir]});
  const state = join(rig.root, 'agent-vm-state');
  const env = {
    ...ghEnv(github, {token: 'token-ann'}),
    AGENT_VM_STATE_DIR: state,
    AGENT_VM_IMAGE_TAG: pushed.reference,
    AGENT_VM_PROFILE: '1',
  };
  if (options.marker ?? true) await writeMarker(state, pushed.reference, digest);
  return {
    rig,
    agentVm,
    github,
    registry,
    pushed,
    state,
    env,
    pushNewer: () => registry.push('wirenboard/agent-vm-template', 'latest', {content: 'two'}),
    identityFile: () => readFile(join(state, 'cache', 'host-git-identity'), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await Promise.all([
        agentVm[Symbol.asyncDispose](),
        github[Symbol.asyncDispose](),
        registry[Symbol.asyncDispose](),
      ]);
    },
  };
};

const writeMarker = async (state: string, reference: string, digest: string): Promise<void> => {
  const name = createHash('sha256').update(reference).digest('hex').slice(0, 16);
  await mkdir(join(state, 'pulled-digests'), {recursive: true});
  await writeFile(join(state, 'pulled-digests', name), digest);
};
