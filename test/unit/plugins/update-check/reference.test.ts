import {describe, test} from 'vitest';
import {originOf, parseReference} from '../../../../plugins/update-check/src/reference.js';

const hub = 'registry-1.docker.io';
const pin = `sha256:${'0'.repeat(64)}`;

describe('parseReference', () => {
  // The first nine are those of the comparison in which @swimlane/docker-reference was right on all; it agrees on the rest
  // but for IPv6, which it does not know yet.
  test.for<[string, string, string, string | undefined, string | undefined]>([
    ['a', hub, 'library/a', 'latest', undefined],
    ['a/b:v1', hub, 'a/b', 'v1', undefined],
    ['ghcr.io/o/r:latest', 'ghcr.io', 'o/r', 'latest', undefined],
    ['localhost/x', 'localhost', 'x', 'latest', undefined],
    ['localhost:5000/a/b', 'localhost:5000', 'a/b', 'latest', undefined],
    ['localhost:5000/a/b:v1', 'localhost:5000', 'a/b', 'v1', undefined],
    ['host:5000/x/y/z', 'host:5000', 'x/y/z', 'latest', undefined],
    [`a/b:v1@${pin}`, hub, 'a/b', 'v1', pin],
    [`a@${pin}`, hub, 'library/a', undefined, pin],
    ['[::1]:5000/a', '[::1]:5000', 'a', 'latest', undefined],
    ['docker.io/a', hub, 'library/a', 'latest', undefined],
    ['index.docker.io/a/b', hub, 'a/b', 'latest', undefined],
    ['a--b/c__d/e.f', hub, 'a--b/c__d/e.f', 'latest', undefined],
    ['1.2.3.4/a', '1.2.3.4', 'a', 'latest', undefined],
    ['localhost:5000', hub, 'library/localhost', '5000', undefined],
    [`a:${'t'.repeat(128)}`, hub, 'library/a', 't'.repeat(128), undefined],
    [`x.y/${'a'.repeat(251)}`, 'x.y', 'a'.repeat(251), 'latest', undefined],
  ])('%s is read', ([text, registry, repository, tag, digest], {expect}) => {
    expect(parseReference(text)).toEqual({registry, repository, tag, digest});
  });

  test.for([
    'A/B',
    'A/b',
    'a/B',
    'host/a:tag/with/slash',
    '',
    'a:',
    'a/',
    '/a',
    '-a',
    'a b',
    'a\n',
    'a..b',
    'a___b',
    'a:.x',
    `a:${'t'.repeat(129)}`,
    'a@sha256:12',
    'f'.repeat(64),
    `x.y/${'a'.repeat(252)}`,
    'http://a/b',
    'user@host/a',
    'user:SECRET@host.example/a',
    'host.:80/a',
    'host:port/a',
    'host:99999/a',
    '[zz]:1/a',
    '[1:2]:1/a',
    '../../etc/passwd',
    'a/../b',
    'a?x=1',
  ])('%j is no reference', (text, {expect}) => {
    expect(parseReference(text)).toBeUndefined();
  });
});

describe('originOf', () => {
  test.for([
    ['localhost:5000', 'http://localhost:5000'],
    ['127.0.0.1:5000', 'http://127.0.0.1:5000'],
    ['127.1.2.3', 'http://127.1.2.3'],
    ['[::1]:5000', 'http://[::1]:5000'],
    ['localhost.example:5000', 'https://localhost.example:5000'],
    ['127.0.0.1.example', 'https://127.0.0.1.example'],
    ['ghcr.io', 'https://ghcr.io'],
  ] as const)('%s is spoken to at %s', ([registry, origin], {expect}) => {
    expect(originOf({registry})).toBe(origin);
  });
});
