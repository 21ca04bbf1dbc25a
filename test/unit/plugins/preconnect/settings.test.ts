import {describe, it} from 'vitest';
import {parseHost} from '../../../../plugins/preconnect/src/hosts.js';
import {preconnectSettings} from '../../../../plugins/preconnect/src/settings.js';

describe('hosts', () => {
  it('have a port or get that of HTTPS', ({expect}) => {
    expect(['api.github.com', 'Far:8443', '[::1]:9', '10.0.0.1'].flatMap(parseHost).map(({name}) => name)).toEqual([
      'api.github.com:443',
      'far:8443',
      '[::1]:9',
      '10.0.0.1:443',
    ]);
    expect(parseHost('[::1]:9')).toEqual([{host: '::1', port: 9, name: '[::1]:9'}]);
  });

  it('are nothing else', ({expect}) => {
    const others = ['', ':443', 'a:0', 'a:65536', 'a:b', 'https://a', 'user@a', 'a b', '::1', 'a:1:2', 'a/b'];
    expect(others.flatMap(parseHost)).toEqual([]);
  });
});

describe('settings of preconnect', () => {
  it('are off by themselves', ({expect}) => {
    expect(preconnectSettings({settings: {}})).toEqual({hosts: [], connections: 2, holdFor: 20_000, proxy: false});
  });

  it('have the hosts that plugins name behind the user’s own, each once', ({expect}) => {
    const hosts = ['named.example', 'ours.example:443'];
    const names = (own: string) => preconnectSettings({settings: {hosts: own}, hosts}).hosts.map(({name}) => name);
    expect(names('ours.example')).toEqual(['ours.example:443', 'named.example:443']);
    expect(names('')).toEqual(['named.example:443', 'ours.example:443']);
  });

  it('hold what they ask for within limits', ({expect}) => {
    const many = Array.from({length: 20}, (_, index) => `host${index}`);
    const {hosts, connections, holdFor} = preconnectSettings({settings: {hosts: many, connections: 99, seconds: 1e9}});
    expect([hosts.length, connections, holdFor]).toEqual([8, 4, 60_000]);
    expect(preconnectSettings({settings: {hosts: 'a, b:1', connections: -1}})).toMatchObject({
      hosts: [{name: 'a:443'}, {name: 'b:1'}],
      connections: 1,
    });
  });
});
