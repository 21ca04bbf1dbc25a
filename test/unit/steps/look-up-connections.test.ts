import {describe, it} from 'vitest';
import type {Json} from '../../../src/model/json.js';
import type {LaunchId} from '../../../src/model/units.js';
import {definePlugin, httpClient, type Launch, lookup, ms} from '../../../src/plugin.js';
import {connectAhead} from '../../../src/steps/http-ahead.js';
import type {SharedLaunch} from '../../../src/steps/messages.js';
import {pluginCalls} from '../../../src/steps/plugin-calls.js';
import type {PluginSide} from '../../../src/steps/plugin-side.js';
import {makeCertificate} from '../../rig/certificate.js';
import {type DelayProxy, startDelayProxy} from '../../rig/delay-proxy.js';
import {type ScriptedServer, startScriptedServer} from '../../rig/scripted-server.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {launchWith} from '../plugins/update-check/launch.js';

/** A far host over TLS that one look-up asks; `way` counts the connections to it. */
interface Far extends AsyncDisposable {
  readonly way: DelayProxy;
  readonly server: ScriptedServer;
  readonly address: string;
  readonly name: string;
  /** Trusts the far host; more of its launch where a test says so. */
  readonly side: (launch?: Partial<SharedLaunch>) => PluginSide;
  /** What the read does before it asks. */
  before: () => Promise<void>;
  asks: (launch: Launch) => readonly string[];
}

const id = 'launch-1' as LaunchId;
const ref = {plugin: 'asker', name: 'answer'};
const never = new AbortController().signal;

const far = async (): Promise<Far> => {
  const {key, cert, certFile} = await makeCertificate(await temporaryDirectory('look-ups'));
  const server = await startScriptedServer({tls: {key, cert}, answer: () => ({body: {fine: true}})});
  const way = await startDelayProxy({target: server.port, mode: 'tcp'});
  const address = `https://localhost:${way.port}`;
  const place: Far = {
    way,
    server,
    address,
    name: `localhost:${way.port}`,
    before: async () => undefined,
    asks: () => [address],
    side: (launch = {}) => ({
      loaded: [{source: {name: 'asker', entry: ''}, plugin: askerOf(place), fault: undefined}],
      launches: new Map([[id, shared({SSL_CERT_FILE: certFile}, launch)]]),
    }),
    [Symbol.asyncDispose]: async () => {
      await way[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
  return place;
};

const shared = (env: Readonly<Record<string, string>>, more: Partial<SharedLaunch>): SharedLaunch => {
  const {settings: _, ...launch} = launchWith({id});
  return {...launch, pluginSettings: {}, ...more, env: {...env, ...more.env}};
};

const askerOf = (place: Far) =>
  definePlugin({
    name: 'asker',
    steps: [
      lookup({
        name: 'answer',
        neededBy: 'boot',
        freshFor: ms(1000),
        keepFor: ms(1000),
        key: () => [],
        asks: (launch) => place.asks(launch),
        read: async (launch, {signal}) => {
          await place.before();
          const http = await httpClient(launch);
          return await http.get(`${place.address}/`, {headers: {accept: 'application/json'}, signal}).json<Json>();
        },
        parse: (value) => value as Json,
      }),
    ],
  });

const read = async (side: PluginSide) =>
  await pluginCalls.read(side, {launch: id, ref, etag: undefined, previous: undefined}, never);

const connect = async (side: PluginSide, signal: AbortSignal = never) =>
  await pluginCalls.connect(side, {launch: id, refs: [ref]}, signal);

describe('a look-up that says whom it asks', () => {
  it('rides on a connection that was made beside its own work', async ({expect}) => {
    await using place = await far();
    place.before = () => place.way.arrived(1); // nothing is asked before somebody else has connected
    const {value, spans} = await read(place.side());
    expect(value).toEqual({fine: true});
    expect([place.way.count(), place.server.requests.length]).toEqual([1, 1]);
    expect(spans.map(({name}) => name)).toEqual(['connection ahead']);
  });

  it('connects by itself when it asks, with the setting off, and when preconnect is left out', async ({expect}) => {
    const off: readonly Partial<SharedLaunch>[] = [
      {pluginSettings: {preconnect: {lookUps: false}}},
      {options: {...launchWith().options, without: ['preconnect']}},
    ];
    for (const launch of off) {
      await using place = await far();
      let before = -1;
      place.before = async () => {
        await new Promise((resolve) => setTimeout(resolve, 50)); // long enough for a connection to loopback
        before = place.way.count();
      };
      const {spans} = await read(place.side(launch));
      expect([before, place.way.count(), spans]).toEqual([0, 1, []]);
      expect(await connect(place.side(launch))).toBeNull();
      expect(place.way.count()).toBe(1);
    }
  });

  it('has nothing made where it names nobody, something broken, plain HTTP, or its launch has a proxy', async ({
    expect,
  }) => {
    await using place = await far();
    const plain = place.address.replace('https:', 'http:');
    const named: readonly ((launch: Launch) => readonly string[])[] = [
      () => [],
      () => ['no address', plain],
      () => 7 as never,
      () => {
        throw new Error('broken');
      },
    ];
    for (const asks of named) {
      place.asks = asks;
      expect(await connect(place.side())).toBeNull();
    }
    place.asks = () => [place.address];
    expect(await connect(place.side({env: {https_proxy: 'http://127.0.0.1:9'}}))).toBeNull();
    expect(await connect(place.side({env: {https_proxy: 'socks5://127.0.0.1:9'}}))).toBeNull();
    expect(place.way.count()).toBe(0);
  });

  it('has none made beside it where one is kept from the look-up before', async ({expect}) => {
    await using place = await far();
    const side = place.side();
    for (let time = 0; time < 3; time += 1) expect((await read(side)).value).toEqual({fine: true});
    expect([place.way.count(), place.server.requests.length]).toEqual([1, 3]);
  });

  it('leaves no connection behind that it did not use', async ({expect}) => {
    await using place = await far();
    const other = await startDelayProxy({target: place.server.port, mode: 'tcp'});
    place.asks = () => [`https://localhost:${other.port}`];
    place.before = () => other.arrived(1);
    const {spans} = await read(place.side());
    expect([other.count(), place.way.count(), spans]).toEqual([1, 1, []]);
    await other[Symbol.asyncDispose](); // waits until every connection is closed
  });
});

describe('connections ahead of look-ups', () => {
  it('are held, used by the read that comes, and reported', async ({expect}) => {
    await using place = await far();
    const side = place.side();
    const held = connect(side);
    await place.way.arrived(1);
    place.before = async () => undefined;
    const {spans} = await read(side);
    expect(place.way.count()).toBe(1);
    expect(spans.map(({name}) => name)).toEqual(['connection ahead']);
    const {[place.name]: report} = (await held) as Record<string, Json>;
    expect(report).toEqual({connected: 1, used: 1, connectMs: expect.any(Number), tls: 'ok'});
  });

  it('are one to a host, however many ask for them', async ({expect}) => {
    await using place = await far();
    const end = new AbortController();
    const all = Array.from({length: 5}, () => connect(place.side(), end.signal));
    await place.way.arrived(1);
    await read(place.side());
    end.abort();
    expect((await Promise.all(all)).map((said) => Object.keys(said as object))).toEqual(
      Array.from({length: 5}, () => [place.name]),
    );
    expect(place.way.count()).toBe(1);
  });

  it('are closed after their time, or when nobody expects the launch any more', async ({expect}) => {
    await using place = await far();
    const settings = {pluginSettings: {preconnect: {seconds: 1}}};
    expect(await connect(place.side(settings))).toMatchObject({[place.name]: {connected: 1, used: 0, tls: 'ok'}});
    const end = new AbortController();
    const second = connect(place.side(), end.signal);
    await place.way.arrived(2);
    end.abort();
    expect(await second).toMatchObject({[place.name]: {used: 0}});
    place.before = async () => undefined;
    await read(place.side());
    expect(place.way.count()).toBe(3); // neither was left to be taken
  });

  it('say what is wrong with a certificate, and cost the look-up nothing but its own fault', async ({expect}) => {
    await using place = await far();
    const side = place.side({env: {SSL_CERT_FILE: ''}});
    expect(await connect(side)).toMatchObject({
      [place.name]: {connected: 0, used: 0, tls: 'DEPTH_ZERO_SELF_SIGNED_CERT'},
    });
    await expect(read(side)).rejects.toThrow('a certificate that is not trusted');
  });

  it('that break off with the request on them are replaced by a new one', async ({expect}) => {
    const {key, cert, certFile} = await makeCertificate(await temporaryDirectory('look-ups'));
    let count = 0;
    await using server = await startScriptedServer({
      tls: {key, cert},
      answer: () => {
        count += 1;
        return count === 1 ? {fault: 'reset'} : {body: {fine: true}};
      },
    });
    await using place = await far();
    const address = `https://localhost:${server.port}`;
    const asker = {...place, address, asks: () => [address]};
    const launch = shared({SSL_CERT_FILE: certFile}, {});
    const side: PluginSide = {
      loaded: [{source: {name: 'asker', entry: ''}, plugin: askerOf(asker), fault: undefined}],
      launches: new Map([[id, launch]]),
    };
    const held = await connectAhead(launch, address, {holdFor: 60_000});
    expect(await held?.tls).toBe('ok');
    expect((await read(side)).value).toEqual({fine: true});
    expect([server.requests.length, server.connections()]).toEqual([2, 2]);
  });
});
