import {describe, test} from 'vitest';
import {isLater} from '../../../../plugins/update-check/src/version.js';

/** In rising order; the middle is the example of semver.org, section 11. */
const rising = [
  '0.9.9',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  'v1.0.0',
  '1.0.1',
  '1.2.0',
  '1.10.0',
  '2.0.0',
  '10.0.0',
  '99999999999999999999.0.0',
];

describe('isLater', () => {
  test('of two versions the later one by semver, and never the other', ({expect}) => {
    for (const [at, one] of rising.entries()) {
      for (const [beside, other] of rising.entries())
        expect([one, other, isLater(one, other)]).toEqual([one, other, at > beside]);
    }
  });

  test('build data, a leading v and missing zeros make no difference', ({expect}) => {
    expect(isLater('v1.2', '1.2.0+build.5')).toBe(false);
    expect(isLater('1.2.0+build.5', 'v1.2')).toBe(false);
  });

  test.for(['', 'latest', '2024-11-30', 'release-7', '1.2.3.4', '1.2.3-', 'v', '1.2.3 || 2'])(
    '%j is never later and never earlier',
    (text, {expect}) => {
      expect(isLater(text, '1.0.0')).toBeUndefined();
      expect(isLater('1.0.0', text)).toBeUndefined();
    },
  );
});
