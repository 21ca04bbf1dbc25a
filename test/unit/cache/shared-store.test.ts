import {once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {Keyv} from 'keyv';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {AnswerCache} from '../../../src/cache/answer-cache.js';
import {SharedStore} from '../../../src/cache/shared-store.js';
import {openStores} from '../../../src/cache/stores.js';
import {hours, ms} from '../../../src/model/units.js';
import {manualClock} from '../../rig/manual-clock.js';
import {run} from '../../rig/program.js';
import {type Redis, startRedis} from '../../rig/redis.js';
import {runScript} from '../../rig/script-process.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {asked, keeping, key, workplace} from './workplace.js';

const common = {...keeping, private: false};

type SilentServer = AsyncDisposable & {readonly port: number; readonly connections: () => number};

/** Accepts, reads, and never says a word. */
async function silentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.resume().on('error', () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const closedPort = async (): Promise<number> => {
  await using server = await silentServer();
  return server.port;
};

describe('a real Redis', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis[Symbol.asyncDispose]();
  });
  const keysInRedis = async (): Promise<string> =>
    (await run(['redis-cli', '-p', String(redis.port), 'keys', '*'])).stdout;

  it('shares an answer that is not private between two users, and hands it on to the own store', async ({expect}) => {
    await using ann = await workplace({shared: redis.url});
    await using bob = await workplace({shared: redis.url});
    await ann.cache.store(key('shared'), common, asked({tag: 'v2'}));
    expect(await bob.cache.look(key('shared'), common)).toMatchObject({state: 'fresh', entry: {value: {tag: 'v2'}}});
    expect(await bob.stores.own.get(key('shared'))).toMatchObject({value: {tag: 'v2'}});
  });

  it('never holds a private answer or a failure', async ({expect}) => {
    await using ann = await workplace({shared: redis.url});
    await ann.cache.store(key('visible'), common, asked(1));
    await ann.cache.store(key('secret'), keeping, asked('private text'));
    await ann.ask('failing', 2);
    expect(await keysInRedis()).toMatch(/visible/);
    expect(await keysInRedis()).not.toMatch(/secret|failing|failure/);
  });

  it('is not asked for a private answer, even if it has one of that name', async ({expect}) => {
    await using ann = await workplace({shared: redis.url});
    await using bob = await workplace({shared: redis.url});
    await ann.cache.store(key('planted'), common, asked('planted'));
    expect((await bob.cache.look(key('planted'), keeping)).state).toBe('missing');
  });

  it('is left out where the own answer is fresh, and asked where that one is stale', async ({expect}) => {
    await using ann = await workplace({shared: redis.url});
    await using bob = await workplace({shared: redis.url});
    await bob.cache.store(key('both'), common, asked('old'));
    bob.clock.pass(hours(25));
    ann.clock.pass(hours(25));
    await ann.cache.store(key('both'), common, asked('new'));
    expect(await bob.cache.look(key('both'), common)).toMatchObject({state: 'fresh', entry: {value: 'new'}});
  });

  it('does not believe stamps from the future or texts that are no entries', async ({expect}) => {
    await using ann = await workplace({shared: redis.url});
    await using bob = await workplace({shared: redis.url});
    ann.clock.setWall(ms(hours(24 * 365)));
    await ann.cache.store(key('future'), common, asked(1));
    expect((await bob.cache.look(key('future'), common)).state).toBe('missing');
    await ann.stores.shared?.set(key('nonsense'), 'x', 10_000);
    expect((await bob.cache.look(key('nonsense'), common)).state).toBe('missing');
  });

  it('forgets what is cleared', async ({expect}) => {
    await using ann = await workplace({shared: redis.url});
    await using bob = await workplace({shared: redis.url});
    await ann.cache.store(key('gone'), common, asked(1));
    await ann.cache.clear(() => true, false);
    expect((await bob.cache.look(key('gone'), common)).state).toBe('missing');
  });

  it('takes the user and the password from the address, and they stand in no file', async ({expect}) => {
    const url = redis.url.replace('redis://', 'redis://default:SECRET123@');
    await using ann = await workplace({shared: url});
    await ann.cache.store(key('login'), common, asked(1));
    expect(ann.stores.complaint).toBeUndefined();
    for (const name of readdirSync(join(ann.directory, 'answers'))) {
      expect(readFileSync(join(ann.directory, 'answers', name), 'utf8')).not.toMatch(/SECRET/);
    }
  });
});

describe('a Redis that is no help', () => {
  it('that never answers leaves the own store in charge, and is tried once', async ({expect}) => {
    await using server = await silentServer();
    await using place = await workplace({shared: `redis://127.0.0.1:${server.port}`});
    expect((await place.cache.look(key('a'), common)).state).toBe('missing');
    await place.cache.store(key('a'), common, asked(1));
    place.clock.pass(hours(25));
    for (let index = 0; index < 20; index += 1) {
      expect(await place.cache.look(key('a'), common)).toMatchObject({state: 'stale', entry: {value: 1}});
    }
    expect(server.connections()).toBe(1);
  });

  it('that is not there leaves the own store in charge', async ({expect}) => {
    await using place = await workplace({shared: `redis://127.0.0.1:${await closedPort()}`});
    expect((await place.cache.look(key('a'), common)).state).toBe('missing');
    await place.cache.store(key('a'), common, asked(1));
    expect((await place.cache.look(key('a'), common)).state).toBe('fresh');
  });

  it('lets a process end by itself, and prints nothing', async ({expect}) => {
    await using server = await silentServer();
    for (const port of [server.port, await closedPort()]) {
      const directory = await temporaryDirectory('shared');
      await using script = runScript(
        `const {openStores} = await ours('cache/stores');
         const stores = await openStores(args[0], 'redis://127.0.0.1:' + args[1]);
         for (let index = 0; index < 20; index += 1) await stores.shared.get('a');
         await stores.shared.set('a', 1, 1000);
         await stores.close();
         say('closed');`,
        [directory, String(port)],
      );
      expect(await script.line()).toBe('closed');
      expect(await script.ended).toEqual({code: 0, stderr: ''});
    }
  });

  for (const [uri, complaint] of [
    ['no address', /not a URI/],
    ['nosuchstore://x', /@keyv\/nosuchstore is not installed/],
    ['redis://:::::', /cannot be used/],
    ['redis://u:SECRET@host:99999999', /cannot be used/],
  ] as const) {
    it(`'${uri}' is complained about, without its secrets, and everything else goes on`, async ({expect}) => {
      await using place = await workplace({shared: uri});
      expect(place.stores.complaint).toMatch(complaint);
      expect(place.stores.complaint).not.toMatch(/SECRET/);
      await place.cache.store(key('a'), common, asked(1));
      expect((await place.cache.look(key('a'), common)).state).toBe('fresh');
    });
  }
});

describe('a shared store', () => {
  it('that failed rests for half a minute and is opened anew after it', async ({expect}) => {
    const clock = manualClock();
    let opened = 0;
    const open = (): Keyv => {
      opened += 1;
      const map = new Map<string, unknown>();
      if (opened === 1) map.get = () => Promise.reject(new Error('broken'));
      return new Keyv({store: map, throwOnErrors: true});
    };
    const store = new SharedStore(open, {now: clock.now});
    expect(await store.get('a')).toBeUndefined();
    clock.pass(ms(29_999));
    await store.set('a', 1, 10_000);
    expect(opened).toBe(1);
    clock.pass(ms(1));
    await store.set('a', 1, 10_000);
    expect(await store.get('a')).toBe(1);
    expect(opened).toBe(2);
  });

  it('that is closed is not opened again', async ({expect}) => {
    let opened = 0;
    const store = new SharedStore(() => {
      opened += 1;
      return new Keyv();
    });
    await store.set('a', 1, 1000);
    await store.close();
    expect(await store.get('a')).toBeUndefined();
    expect(opened).toBe(1);
  });

  it('without locks and without a directory still serves answers', async ({expect}) => {
    const stores = await openStores(undefined, undefined);
    const cache = new AnswerCache(stores, manualClock(), undefined);
    await cache.store(key('a'), keeping, asked(1));
    expect((await cache.look(key('a'), keeping)).state).toBe('fresh');
    expect(await cache.clear(() => true, true)).toBe(1);
  });
});
