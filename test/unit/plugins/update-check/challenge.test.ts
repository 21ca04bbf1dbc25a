import {describe, test} from 'vitest';
import {parseChallenges} from '../../../../plugins/update-check/src/registry/challenge.js';

describe('parseChallenges', () => {
  test.for<[string, unknown]>([
    [
      'Bearer realm="https://h/t",service="s",scope="repository:a/b:pull,push"',
      [{scheme: 'bearer', parameters: {realm: 'https://h/t', service: 's', scope: 'repository:a/b:pull,push'}}],
    ],
    [
      'Basic realm="x", Bearer realm="https://h/t", service=s',
      [
        {scheme: 'basic', parameters: {realm: 'x'}},
        {scheme: 'bearer', parameters: {realm: 'https://h/t', service: 's'}},
      ],
    ],
    ['bearer REALM=https://h/t', [{scheme: 'bearer', parameters: {realm: 'https://h/t'}}]],
    ['Basic realm="say \\"x, y\\" \\\\ z"', [{scheme: 'basic', parameters: {realm: 'say "x, y" \\ z'}}]],
    [
      'Negotiate, NTLM abc==, Basic realm = "x" , charset="UTF-8"',
      [
        {scheme: 'negotiate', parameters: {}},
        {scheme: 'ntlm', parameters: {}},
        {scheme: 'basic', parameters: {realm: 'x', charset: 'UTF-8'}},
      ],
    ],
    ['Bearer realm="a", realm="b",, ,service=""', [{scheme: 'bearer', parameters: {realm: 'a', service: ''}}]],
    ['Bearer realm="never closed, service="s"', [{scheme: 'bearer', parameters: {}}]],
    ['realm="of nothing"', []],
    ['', []],
    ['"', []],
  ])('%s', ([header, challenges], {expect}) => {
    expect(parseChallenges(header)).toEqual(challenges);
  });

  test('a header of a megabyte of quotes and backslashes is read in one go', ({expect}) => {
    expect(parseChallenges(`Bearer realm=${'"\\'.repeat(500_000)}`)).toBeDefined();
  });
});
