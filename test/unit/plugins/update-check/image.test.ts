import {createHash} from 'node:crypto';
import {type Launch, NoAnswer, type ReadTools} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/update-check/src/index.js';
import {type FakeRegistry, indexOf, startFakeRegistry} from '../../../rig/fake-registry.js';
import {launchWith, toolsWith} from './launch.js';

const [image] = plugin.steps;
const here = `linux/${{x64: 'amd64', ia32: '386'}[process.arch as string] ?? process.arch}`;
const elsewhere = here === 'linux/s390x' ? 'linux/riscv64' : 'linux/s390x';
const of = (digit: string): string => `sha256:${digit.repeat(64)}`;
const manifest = {schemaVersion: 2, config: {digest: of('c')}, layers: []};
const index = indexOf({'unknown/unknown': of('9'), [elsewhere]: of('8'), [here]: of('7')});

const read = (registry: FakeRegistry, tools: Partial<ReadTools> = {}, parts: Partial<Launch> = {}) =>
  image.read(launchWith({item: `${registry.host}/a/b:v1`, ...parts}), toolsWith(tools));

const failureOf = async (reading: Promise<unknown>): Promise<NoAnswer> => {
  const error: unknown = await reading.then(
    (answer) => new Error(`there was an answer: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof NoAnswer) return error;
  throw error;
};

const asked = (registry: FakeRegistry): readonly string[] =>
  registry.requests.map(({method, url}) => `${method} ${url}`);

describe('the image step', () => {
  test('keeps both the digest of the index and the one for this platform', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: index});
    expect(await read(registry)).toEqual({digest, platforms: [of('7')]});
    expect(asked(registry)).toEqual(['GET /v2/a/b/manifests/v1']);
    expect(registry.requests[0]?.headers.accept?.split(', ').sort()).toEqual([
      'application/vnd.docker.distribution.manifest.list.v2+json',
      'application/vnd.docker.distribution.manifest.v2+json',
      'application/vnd.oci.image.index.v1+json',
      'application/vnd.oci.image.manifest.v1+json',
    ]);
  });

  test.for<[string, {digestHeader?: string | null}]>([
    ['is missing', {digestHeader: null}],
    ['lies', {digestHeader: of('f')}],
  ])('computes the digest when the header %s', async ([, how], {expect}) => {
    await using registry = await startFakeRegistry();
    const body = JSON.stringify(manifest, undefined, 3);
    registry.serve('a/b', 'v1', {body, ...how});
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    expect(await read(registry)).toEqual({digest, platforms: [digest]});
  });

  test('goes by the shape of the answer when Content-Type is missing', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({}, {body: index});
    expect(await read(registry)).toMatchObject({platforms: [of('7')]});
  });

  test('has no platform digest when the index holds none for this machine', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: indexOf({'unknown/unknown': of('9'), [elsewhere]: of('8')})});
    expect(await read(registry)).toEqual({digest, platforms: []});
  });

  test('takes an index with odd entries as far as it can be read', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const [os, architecture] = here.split('/');
    const manifests = [null, 1, {}, {digest: 'md5:1', platform: {os, architecture}}, {digest: of('5')}];
    registry.serve('a/b', 'v1', {
      body: {schemaVersion: 2, manifests: [...manifests, {digest: of('6'), platform: {os, architecture}}]},
    });
    expect(await read(registry)).toMatchObject({platforms: [of('6')]});
  });

  test('learns from a HEAD alone that nothing has changed', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: index});
    expect(await read(registry, {previous: {digest, platforms: [of('7')]}})).toEqual({unchanged: true});
    expect(asked(registry)).toEqual(['HEAD /v2/a/b/manifests/v1']);
  });

  test('asks with the stored ETag and takes 304 for unchanged', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({}, {status: 304});
    const tools = {previous: {digest: of('1'), platforms: []}, etag: '"one"'};
    expect(await read(registry, tools)).toEqual({unchanged: true});
    expect(registry.requests.map(({headers}) => headers['if-none-match'])).toEqual(['"one"']);
  });

  test('gives the ETag on to be stored', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({}, {body: manifest, headers: {etag: '"two"'}});
    expect(await read(registry)).toMatchObject({etag: '"two"', value: {platforms: [expect.any(String)]}});
  });

  test.for([404, 405, 501])('asks with GET when HEAD is answered by %i', async (status, {expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: index});
    registry.answer({method: 'HEAD'}, {status});
    expect(await read(registry, {previous: {digest: of('1'), platforms: []}})).toMatchObject({digest});
    expect(asked(registry)).toEqual(['HEAD /v2/a/b/manifests/v1', 'GET /v2/a/b/manifests/v1']);
  });

  test('asks with GET when HEAD carries no digest', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: index, digestHeader: null});
    expect(await read(registry, {previous: {digest, platforms: []}})).toMatchObject({digest});
  });

  test('does without a previous answer that is not one', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: index});
    expect(await read(registry, {previous: {digest: 'x'}, etag: '"one"'})).toMatchObject({digest});
    expect(registry.requests[0]?.headers['if-none-match']).toBeUndefined();
  });

  test.for(['A/B', 'host/a:tag/with/slash', 'u:SECRET@h.example/a', ''])(
    'says once that %j is no reference and sends nothing',
    async (item, {expect}) => {
      const failure = await failureOf(Promise.resolve(image.read(launchWith({item}), toolsWith())));
      expect(failure.reason).toBe('malformed');
      expect(failure.message).not.toContain('SECRET');
      expect(failure.retryAfter).toBeGreaterThanOrEqual(86_400_000);
    },
  );

  test.for<[string, object, string]>([
    ['no such tag', {status: 404}, 'not-found'],
    ['too many pulls', {status: 429, headers: {'retry-after': '3000'}}, 'rate-limited'],
    ['a 403 that is a limit', {status: 403, headers: {'retry-after': '3000'}}, 'rate-limited'],
    ['trouble', {status: 500}, 'server-error'],
    ['a log-in page', {body: '<html>', headers: {'content-type': 'text/html'}}, 'captive-portal'],
    ['511', {status: 511}, 'captive-portal'],
    ['a list', {body: []}, 'malformed'],
    ['an old manifest', {body: {schemaVersion: 1}}, 'malformed'],
    ['too large a manifest', {body: {schemaVersion: 2, layers: 'x'.repeat(1_100_000)}}, 'malformed'],
    ['a reset connection', {fault: 'reset'}, 'unreachable'],
    ['a 403 for everybody', {status: 403}, 'refused'],
    ['a 401 without a challenge', {status: 401}, 'refused'],
  ])('has no answer, and says why, after %s', async ([, answer, reason], {expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({}, answer);
    expect((await failureOf(Promise.resolve(read(registry)))).reason).toBe(reason);
    expect(registry.requests).toHaveLength(1);
  });

  test('an earlier failure is not remembered by the step', async ({expect}) => {
    await using registry = await startFakeRegistry();
    const digest = registry.serve('a/b', 'v1', {body: index});
    registry.answer({}, {status: 500}, 1);
    expect((await failureOf(Promise.resolve(read(registry)))).reason).toBe('server-error');
    expect(await read(registry)).toMatchObject({digest});
  });

  test('the end of the time limit ends a registry that hangs', async ({expect}) => {
    await using registry = await startFakeRegistry();
    registry.answer({}, {fault: 'hang'});
    const limit = new AbortController();
    const failure = failureOf(Promise.resolve(read(registry, {signal: limit.signal})));
    await registry.arrival(() => true);
    limit.abort();
    expect((await failure).reason).toBe('timed-out');
  });
});
