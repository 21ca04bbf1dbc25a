import {test} from 'vitest';
import {startDelayProxy} from '../../rig/delay-proxy.js';
import {startRegistry} from '../../rig/registry.js';

const ACCEPT = 'application/vnd.oci.image.index.v1+json,application/vnd.oci.image.manifest.v1+json';

const manifest = async (host: string, path: string) => {
  const response = await fetch(`http://${host}/v2/${path}`, {headers: {accept: ACCEPT, connection: 'close'}});
  return {status: response.status, digest: response.headers.get('docker-content-digest'), text: await response.text()};
};

test('the real docker-registry serves a pushed index with two platforms and an attestation entry', async ({expect}) => {
  await using registry = await startRegistry();
  const pushed = await registry.push('a/b', 'v1');
  const served = await manifest(registry.host, 'a/b/manifests/v1');
  expect(served).toMatchObject({status: 200, digest: pushed.indexDigest});
  const {manifests} = JSON.parse(served.text) as {manifests: {digest: string; platform: object}[]};
  expect(manifests.map(({platform}) => platform)).toEqual([
    {os: 'linux', architecture: 'amd64'},
    {os: 'linux', architecture: 'arm64'},
    {os: 'unknown', architecture: 'unknown'},
  ]);
  expect(manifests.slice(0, 2).map(({digest}) => digest)).toEqual(Object.values(pushed.platformDigests));
  expect(pushed.reference).toBe(`127.0.0.1:${registry.port}/a/b:v1`);
});

test('a single image is served under its tag with the digest of its own manifest', async ({expect}) => {
  await using registry = await startRegistry();
  const pushed = await registry.push('single', 'latest', {index: false, platforms: ['linux/arm64']});
  expect(pushed.indexDigest).toBeNull();
  const served = await manifest(registry.host, 'single/manifests/latest');
  expect(served.digest).toBe(pushed.platformDigests['linux/arm64']);
  expect(served.digest).toBe(pushed.tagDigest);
});

test('other content gives other digests under the same tag, equal content the same', async ({expect}) => {
  await using registry = await startRegistry();
  const first = await registry.push('x', 'latest', {content: 'one'});
  const again = await registry.push('x', 'latest', {content: 'one'});
  const second = await registry.push('x', 'latest', {content: 'two'});
  expect(again).toEqual(first);
  expect(second.platformDigests['linux/amd64']).not.toBe(first.platformDigests['linux/amd64']);
  expect((await manifest(registry.host, 'x/manifests/latest')).digest).toBe(second.indexDigest);
});

test('ends at dispose', async ({expect}) => {
  let pid = 0;
  {
    await using registry = await startRegistry();
    pid = registry.pid;
    expect(() => process.kill(pid, 0)).not.toThrow();
  }
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

test('a proxy in front of it counts requests and holds them until the test lets them go', async ({expect}) => {
  await using registry = await startRegistry();
  await registry.push('a', 'latest');
  await using proxy = await startDelayProxy({target: registry.port});
  const release = proxy.hold();
  const asked = Promise.all([1, 2, 3].map(() => manifest(`127.0.0.1:${proxy.port}`, 'a/manifests/latest')));
  await proxy.arrived(3);
  expect([proxy.count(), proxy.peak()]).toEqual([3, 3]);
  release();
  expect((await asked).map(({status}) => status)).toEqual([200, 200, 200]);
});
