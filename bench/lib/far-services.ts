import {startDelayProxy} from '../../test/rig/delay-proxy.js';
import {ghEnv, startGitHub, writeGhHosts} from '../../test/rig/github.js';
import {userObject} from '../../test/rig/github-shapes.js';
import {requireProgram} from '../../test/rig/program.js';
import {startRegistry} from '../../test/rig/registry.js';
import {time} from './spawned.js';
import {median} from './statistics.js';

/** A GitHub and a registry as slow as the ones of the published launch profile. */
export interface FarServices extends AsyncDisposable {
  /** Variables with which `gh` asks this GitHub. */
  readonly env: Readonly<Record<string, string>>;
  /** Reference of an image in the registry, and the digest it has there. */
  readonly image: string;
  readonly imageDigest: string;
  /** Requests of `gh api user` so far. */
  readonly userRequests: () => number;
  readonly registryRequests: () => number;
}

const ann = {login: 'ann', id: 583_231, name: 'Ann Lee', email: 'ann@example.org'};

/**
 * Starts both. `ghApiUser` is what the whole process `gh api user` shall take, its own start included: what it takes here
 * without a delay is measured first. `registry` is added to each request for a manifest, which takes 1 to 3 ms here.
 */
export const startFarServices = async (latencies: {
  readonly ghApiUser: number;
  readonly registry: number;
}): Promise<FarServices> => {
  const gh = requireProgram('gh', 'gh');
  const github = await startGitHub({users: {'token-ann': ann}});
  const registry = await startRegistry();
  const proxy = await startDelayProxy({target: registry.port, delay: latencies.registry});
  const pushed = await registry.push('team/image', 'latest');
  // An account as `gh auth login` leaves it: a token in a variable would keep agent-vm's gh shim away.
  const account = [{login: 'ann', token: 'token-ann'}] as const;
  const env = ghEnv(github);
  await writeGhHosts(env['GH_CONFIG_DIR'] ?? '', {[github.host]: account, 'github.com': account});
  const where = {env: {PATH: process.env['PATH'] ?? '', HOME: github.directory, ...env}, cwd: github.directory};
  const bare: number[] = [];
  for (let count = 0; count < 5; count += 1) bare.push(await time([gh, 'api', 'user'], where));
  const asked = github.requests.length;
  github.answer({path: '/user'}, () => ({
    status: 200,
    body: userObject(ann, `${github.url}/api/v3`, github.url),
    delay: Math.max(0, latencies.ghApiUser - median(bare)),
  }));
  return {
    env,
    image: pushed.reference.replace(`:${registry.port}/`, `:${proxy.port}/`),
    imageDigest: pushed.platformDigests['linux/amd64'] ?? '',
    userRequests: () => github.requests.length - asked,
    registryRequests: () => proxy.count(),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
};
