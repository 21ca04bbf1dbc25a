import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import {architecture} from '../../../../plugins/update-check/src/image-digests.js';
import plugin from '../../../../plugins/update-check/src/index.js';
import {startRegistry} from '../../../rig/registry.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {startFarHost} from './far-host.js';
import {launchWith, toolsWith} from './launch.js';

const [image] = plugin.steps;
const here = `linux/${architecture()}`;

const using = (reference: string, have: readonly string[]): Launch =>
  launchWith({item: reference, updatables: [{source: 'oci', name: reference, have}]});

const read = async (reference: string, previous?: {digest: string; platforms: string[]}) =>
  (await image.read(launchWith({item: reference}), toolsWith({previous}))) as {digest: string; platforms: string[]};

describe('the image step and the registry of the distribution project', () => {
  test('whoever has the index or the platform image hears nothing until another is pushed', async ({expect}) => {
    await using registry = await startRegistry();
    const platforms = ['linux/s390x', here];
    const first = await registry.push('team/app', 'v1', {platforms});
    const stored = await untagged(first.reference);
    expect(stored).toEqual({digest: first.indexDigest, platforms: [first.platformDigests[here]]});
    const have = [first.indexDigest ?? '', first.platformDigests[here] ?? ''];
    for (const digest of have) expect(image.notice(stored, using(first.reference, [digest]))).toBeUndefined();

    const tools = toolsWith({previous: stored});
    expect(await image.read(launchWith({item: first.reference}), tools)).toEqual({unchanged: true});

    const second = await registry.push('team/app', 'v1', {platforms, content: 'newer'});
    const newer = await untagged(second.reference, stored);
    expect(newer.digest).toBe(second.indexDigest);
    const short = (digest = ''): string => digest.slice(7, 19);
    expect(image.notice(newer, using(first.reference, have.slice(1)))).toContain(
      `(cached ${short(have[1])}, registry ${short(second.platformDigests[here])})`,
    );
  });

  test('an image for one platform has one digest', async ({expect}) => {
    await using registry = await startRegistry();
    const pushed = await registry.push('app', 'latest', {platforms: [here], index: false});
    const stored = await untagged(pushed.reference);
    expect(stored).toEqual({digest: pushed.tagDigest, platforms: [pushed.tagDigest]});
  });

  const untagged = async (reference: string, previous?: {digest: string; platforms: string[]}) => {
    const answer = await read(reference, previous);
    return 'value' in answer ? (answer.value as typeof answer) : answer;
  };
});

describe('Docker Hub', () => {
  test('gets its login at its token server, and the name is completed', async ({expect}) => {
    await using far = await startFarHost(['registry-1.docker.io', 'auth.docker.io'], ({url, headers}) => {
      if (url.startsWith('/token')) return {body: {token: 'given'}};
      if (headers.authorization === 'Bearer given') return {body: {schemaVersion: 2}};
      return {status: 401, headers: {'www-authenticate': 'Bearer realm="https://auth.docker.io/token",service="hub"'}};
    });
    const home = await temporaryDirectory('docker');
    const login = Buffer.from('ann:SECRET789').toString('base64');
    await mkdir(join(home, '.docker'));
    await writeFile(
      join(home, '.docker/config.json'),
      JSON.stringify({auths: {'https://index.docker.io/v1/': {auth: login}}}),
    );
    const launch = launchWith({item: 'alpine', env: {...far.env, HOME: home}});
    expect(await image.read(launch, toolsWith())).toMatchObject({platforms: [expect.any(String)]});
    expect(far.asked).toEqual([
      'CONNECT registry-1.docker.io:443',
      'CONNECT auth.docker.io:443',
      'CONNECT registry-1.docker.io:443',
    ]);
    expect(far.requests[0]?.url).toBe('/v2/library/alpine/manifests/latest');
    expect(far.requests.map(({headers}) => headers.authorization)).toEqual([
      undefined,
      `Basic ${login}`,
      'Bearer given',
    ]);
    await rm(home, {recursive: true});
  });
});
