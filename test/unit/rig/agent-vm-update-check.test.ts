import {type StdioOptions, spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {mkdir, readFile, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {type AgentVmOptions, makeAgentVm} from '../../rig/agent-vm.js';
import {indexOf, startFakeRegistry} from '../../rig/fake-registry.js';
import {makeGate} from '../../rig/gate.js';
import {type Finished, run} from '../../rig/program.js';
import {makeProject} from '../../rig/project.js';
import {startRegistry} from '../../rig/registry.js';

const OLD = `sha256:${'0'.repeat(64)}`;
const NEW = `sha256:${'1'.repeat(64)}`;
const BANNER = 'A newer image is available';

/** A launch of one image, with git and gh out of reach and a marker of an older pull unless `marker` is null. */
async function makeRig(image: string, options: AgentVmOptions, marker: string | null = OLD) {
  const agentVm = await makeAgentVm(options);
  const project = await makeProject();
  const markers = join(project.state, 'pulled-digests');
  const markerFile = join(markers, createHash('sha256').update(image).digest('hex').slice(0, 16));
  await mkdir(markers, {recursive: true});
  if (marker !== null) await writeFile(markerFile, `${marker}\n`);
  const env = {...project.env, PATH: '/nowhere'};
  return {
    project,
    agentVm,
    markerFile,
    run: (args: readonly string[], more: Record<string, string> = {}): Promise<Finished> =>
      run([agentVm.path, ...args], {cwd: project.dir, env: {...env, ...more}}),
    launch: (...args: string[]): Promise<Finished> =>
      run([agentVm.path, 'shell', '--image', image, ...args], {cwd: project.dir, env}),
    /** A launch whose guest runs until the banner has come. */
    untilBanner: async (onGuest: () => void = () => undefined): Promise<string> => {
      const argv = ['shell', '--image', image, 'sh', '-c', 'echo guest runs >&2; tail -f /dev/null'];
      const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
      // in a group of its own, which is ended whole: a guest that outlived its launcher would hold the pipe open
      const child = spawn(agentVm.path, argv, {cwd: project.dir, env, stdio, detached: true});
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        stderr += chunk;
        if (!stderr.includes('guest runs')) return;
        onGuest();
        if (stderr.includes(BANNER) && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      });
      await once(child, 'close');
      return stderr;
    },
    [Symbol.asyncDispose]: async () => {
      await agentVm[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

/** A registry with a newer `a/b:latest`, so that every check has something to say. */
async function newerRegistry() {
  const registry = await startFakeRegistry();
  registry.serve('a/b', 'latest', {body: indexOf({'linux/arm64': OLD, 'linux/amd64': NEW})});
  return {registry, image: `${registry.host}/a/b`, [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose]()};
}

const BLOCKING = ['0.1.14', '0.1.17', '0.1.18'] as const;

describe('a blocking check', () => {
  test.for(BLOCKING)('v%s prints the banner before it looks for repositories', async (version, {expect}) => {
    await using upstream = await newerRegistry();
    await using rig = await makeRig(upstream.image, {version});
    const {stderr} = await rig.launch('true');
    expect(stderr).toContain(
      '==> A newer image is available in the registry (cached 000000000000, registry 111111111111)\n' +
        '==> Run `agent-vm pull` to fetch it. Continuing with the cached image.\n==> GitHub repo scope',
    );
    expect(upstream.registry.requests.map(({method}) => method)).toEqual(['GET']);
  });

  test.for(BLOCKING)('v%s waits for the answer', async (version, {expect}) => {
    await using upstream = await newerRegistry();
    await using rig = await makeRig(upstream.image, {version});
    const gate = makeGate();
    upstream.registry.answer({}, {status: 404, until: gate.opened});
    let isOver = false;
    const launched = rig.launch('true').finally(() => {
      isOver = true;
    });
    await upstream.registry.arrival(() => true);
    expect(isOver).toBe(false);
    gate.open();
    expect((await launched).stderr).not.toContain(BANNER);
  });

  test('up to v0.1.15 gives up at 401: one GET, no banner', async ({expect}) => {
    await using upstream = await newerRegistry();
    upstream.registry.requireToken();
    await using rig = await makeRig(upstream.image, {version: '0.1.14'});
    expect((await rig.launch('true')).stderr).not.toContain(BANNER);
    expect(upstream.registry.requests.length).toBe(1);
  });

  test.for(['0.1.17', '0.1.28'] as const)(
    'v%s fetches a token anonymously and asks again',
    async (version, {expect}) => {
      await using upstream = await newerRegistry();
      upstream.registry.requireToken({field: 'access_token'});
      await using rig = await makeRig(upstream.image, {version, latencies: {create: 1500}});
      expect((await rig.launch('true')).stderr).toContain(BANNER);
      const scope = 'scope=repository%3Aa%2Fb%3Apull';
      const service = `service=${encodeURIComponent(upstream.registry.host)}`;
      expect(upstream.registry.requests.map(({url}) => url)).toEqual([
        '/v2/a/b/manifests/latest',
        `/token?${service}&${scope}`,
        '/v2/a/b/manifests/latest',
      ]);
      expect(upstream.registry.requests[1]?.headers.authorization).toBeUndefined();
    },
  );

  test('that hears nothing goes on after five seconds', async ({expect}) => {
    await using upstream = await newerRegistry();
    upstream.registry.answer({}, {fault: 'hang'});
    await using rig = await makeRig(upstream.image, {version: '0.1.17'});
    expect(await rig.launch('echo', 'started')).toMatchObject({status: 0, stdout: 'started\n'});
  });

  test('that hears 401 writes no marker at a pull either', async ({expect}) => {
    await using upstream = await newerRegistry();
    upstream.registry.requireToken();
    await using rig = await makeRig(upstream.image, {version: '0.1.14'}, null);
    expect((await rig.run(['pull', '--image', upstream.image])).status).toBe(0);
    await expect(stat(rig.markerFile)).rejects.toThrow('ENOENT');
  });

  test.for<[string, string | string[]]>([
    ['a scope with a comma', 'Bearer realm="REALM",scope="SCOPE,push",service="SERVICE"'],
    ['Bearer only in a second header', ['Basic realm="x"', 'Bearer realm="REALM"']],
  ])('does not get through with %s', async ([, challenge], {expect}) => {
    await using upstream = await newerRegistry();
    upstream.registry.requireToken({challenge});
    upstream.registry.answer({path: '/token'}, ({url}) => ({
      status: url.includes('push') ? 200 : 403,
      body: {token: 't'},
    }));
    await using rig = await makeRig(upstream.image, {version: '0.1.17'});
    expect((await rig.launch('true')).stderr).not.toContain(BANNER);
  });
});

describe('what is compared', () => {
  test.for<[string, object | string, string | null, boolean]>([
    ['the linux/amd64 entry of an index', indexOf({'linux/amd64': OLD}), 'sha256:index', false],
    ['nothing, when the index has no linux/amd64', indexOf({'linux/arm64': NEW}), 'sha256:index', false],
    ['the header, for a single manifest', {config: {}}, NEW, true],
    ['the header, for a body that is not JSON', '<html>', NEW, true],
    ['nothing, without list and header', {config: {}}, null, false],
  ])('%s', async ([, body, digestHeader, hasBanner], {expect}) => {
    await using registry = await startFakeRegistry();
    registry.serve('a', 'v1', {body, digestHeader});
    await using rig = await makeRig(`${registry.host}/a:v1`, {version: '0.1.18'});
    expect((await rig.launch('true')).stderr.includes(BANNER)).toBe(hasBanner);
    expect(registry.requests[0]?.url).toBe('/v2/a/manifests/v1');
  });

  test('a real registry is newer until `pull` has written the marker', async ({expect}) => {
    await using registry = await startRegistry();
    const {reference, platformDigests} = await registry.push('a/b', 'latest');
    await using rig = await makeRig(reference, {version: '0.1.18'});
    expect((await rig.launch('true')).stderr).toContain(BANNER);
    const pulled = await rig.run(['pull', '--image', reference]);
    expect(pulled.stdout).toBe(`==> ${reference} pulled into the microsandbox cache\n`);
    expect(await readFile(rig.markerFile, 'utf8')).toBe(platformDigests['linux/amd64']);
    expect((await rig.launch('true')).stderr).not.toContain(BANNER);
    await registry.push('a/b', 'latest', {content: 'newer'});
    expect((await rig.launch('true')).stderr).toContain(BANNER);
  });
});

describe('the marker', () => {
  test.for(['0.1.14', '0.1.17'] as const)(
    'v%s never seeds it and stays silent without one',
    async (version, {expect}) => {
      await using upstream = await newerRegistry();
      await using rig = await makeRig(upstream.image, {version, imageDigest: OLD}, null);
      expect((await rig.launch('true')).stderr).not.toContain(BANNER);
      await expect(stat(rig.markerFile)).rejects.toThrow('ENOENT');
    },
  );

  test('v0.1.18 seeds it from the record of the image before it asks', async ({expect}) => {
    await using upstream = await newerRegistry();
    await using rig = await makeRig(upstream.image, {version: '0.1.18', imageDigest: OLD}, null);
    expect((await rig.launch('true')).stderr).toContain(BANNER);
    expect(await readFile(rig.markerFile, 'utf8')).toBe(OLD);
    expect((await stat(rig.markerFile)).mode & 0o777).toBe(0o644);
  });

  test('is neither seeded nor compared with --no-update-check', async ({expect}) => {
    await using upstream = await newerRegistry();
    await using rig = await makeRig(upstream.image, {version: '0.1.28', imageDigest: OLD}, null);
    expect((await rig.launch('--no-update-check', 'true')).stderr).not.toContain(BANNER);
    await expect(stat(rig.markerFile)).rejects.toThrow('ENOENT');
    expect(upstream.registry.requests).toEqual([]);
  });
});

describe('from v0.1.20 the check runs in the background', () => {
  test.for(['0.1.20', '0.1.28'] as const)('v%s ends without an answer that never comes', async (version, {expect}) => {
    await using upstream = await newerRegistry();
    upstream.registry.answer({}, {fault: 'hang'});
    await using rig = await makeRig(upstream.image, {version});
    const {status, stderr} = await rig.launch('sh', '-c', 'exit 3');
    expect([status, stderr.includes(BANNER)]).toEqual([3, false]);
  });

  test('the banner comes whenever the answer does, even while the guest runs', async ({expect}) => {
    await using upstream = await newerRegistry();
    const gate = makeGate();
    upstream.registry.answer({}, {body: indexOf({'linux/amd64': NEW}), until: gate.opened});
    await using rig = await makeRig(upstream.image, {version: '0.1.28'});
    const stderr = await rig.untilBanner(gate.open);
    expect(stderr.indexOf(BANNER)).toBeGreaterThan(stderr.indexOf('guest runs'));
  });
});

test('`clipboard put` and `get` exchange a text through the state of the project', async ({expect}) => {
  await using rig = await makeRig('x', {msbVersion: 'no patched msb is needed'});
  expect((await rig.run(['clipboard', 'put', 'a b'])).status).toBe(0);
  expect((await rig.run(['clipboard', 'get'])).stdout).toBe('a b');
});

test('`setup` pulls and verifies, and fails when the registry has no such image', async ({expect}) => {
  await using upstream = await newerRegistry();
  await using rig = await makeRig(upstream.image, {}, null);
  const {status, stdout} = await rig.run(['setup'], {AGENT_VM_IMAGE_TAG: upstream.image});
  expect([status, stdout.split('\n').at(-2)]).toEqual([0, `==> ${upstream.image} ready`]);
  const absent = await rig.run(['setup', '--no-verify', '--image', `${upstream.image}:none`]);
  expect(absent).toMatchObject({status: 1});
  expect(absent.stderr).toContain('Error: pulling image');
});
