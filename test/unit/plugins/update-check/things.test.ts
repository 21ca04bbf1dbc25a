import type {Launch} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/update-check/src/index.js';
import {launchWith} from './launch.js';

const [image, release, packageVersion] = plugin.steps;
const pin = `sha256:${'0'.repeat(64)}`;

const itemsOf = (parts: Partial<Launch>): unknown =>
  [image, release, packageVersion].map((step) => step.items?.(launchWith(parts)));

describe('what update-check looks after', () => {
  test('the things of the runtime and of the settings, each in its own step and once', ({expect}) => {
    const updatables: Launch['updatables'] = [
      {source: 'oci', name: 'ghcr.io/a/b:latest', have: []},
      {source: 'npm', name: '@wirenboard/agent-vm', have: ['0.1.28']},
      {source: 'github', name: 'o/r', have: ['v1.0.0']},
    ];
    const things = ['oci:ghcr.io/a/b:latest', 'oci:c', 'github:o/r@v1.2.3', 'npm:name@1.2.3', 'npm:@s/n@1'];
    expect(itemsOf({updatables, settings: {things}})).toEqual([
      ['ghcr.io/a/b:latest', 'c'],
      ['o/r'],
      ['@wirenboard/agent-vm', 'name', '@s/n'],
    ]);
  });

  test('a pinned image is never asked about', ({expect}) => {
    const updatables: Launch['updatables'] = [{source: 'oci', name: `a/b:v1@${pin}`, have: [pin]}];
    expect(itemsOf({updatables, settings: {things: [`oci:a@${pin}`]}})).toEqual([[], [], []]);
  });

  test.for<[Launch['settings']]>([
    [{}],
    [{things: 'oci:a'}],
    [{things: {oci: 'a'}}],
    [{things: null}],
    [
      {
        things: [
          1,
          null,
          {},
          [],
          '',
          'a',
          'oci',
          'oci:',
          'oci:A/B',
          'github:o',
          'github:o/..',
          'npm:--registry',
          'deb:x',
        ],
      },
    ],
    [{things: ['npm:../x', 'npm:a b', 'npm:.x', 'github:o/r/s', 'github:-x/r', 'github:o/r\n@1']}],
  ])('settings that make no sense are passed over: %j', ([settings], {expect}) => {
    expect(itemsOf({settings})).toEqual([[], [], []]);
  });

  test('one answer serves every version of the thing that somebody has', ({expect}) => {
    const keyWith = (version: string) =>
      release.key(launchWith({item: 'o/r', settings: {things: [`github:o/r@${version}`]}}));
    expect(keyWith('v1')).toEqual(keyWith('v2'));
  });

  test('another proxy is another answer, and its password is not in the key', ({expect}) => {
    for (const step of [image, release, packageVersion]) {
      const keyWith = (env: Launch['env']) => JSON.stringify(step.key(launchWith({item: 'a/b', env})));
      const one = keyWith({HTTPS_PROXY: 'http://u:SECRET000@one'});
      expect(one).not.toBe(keyWith({HTTPS_PROXY: 'http://u:SECRET000@two'}));
      expect(one).not.toBe(keyWith({}));
      expect(one).not.toContain('SECRET');
    }
  });

  test('another GitHub token is another answer, and it is not in the key', ({expect}) => {
    const keyWith = (env: Launch['env']) => JSON.stringify(release.key(launchWith({item: 'o/r', env})));
    const one = keyWith({GH_TOKEN: 'SECRET456'});
    expect(one).not.toBe(keyWith({GH_TOKEN: 'SECRET457'}));
    expect(one).toBe(keyWith({GITHUB_TOKEN: 'SECRET456'}));
    expect(one).not.toContain('SECRET');
  });
});
