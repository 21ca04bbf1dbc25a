import {describe, test} from 'vitest';
import {githubSlug} from '../../../../plugins/github-repos/src/github-slug.js';
import {parseRemote} from '../../../../plugins/github-repos/src/remote-address.js';

const named = (address: string): string | undefined => {
  const remote = parseRemote(address);
  return remote && `${remote.host} ${remote.owner} ${remote.repo}`;
};

describe('the address of a remote', () => {
  test.for([
    'https://github.com/o/r',
    'https://github.com/o/r.git',
    'https://github.com/o/r/',
    'https://github.com/o/r.git/',
    'https://github.com/o/r///',
    'HTTPS://GitHub.com/o/r',
    'http://github.com/o/r',
    'https://github.com:443/o/r',
    'http://github.com:80/o/r',
    'https://www.github.com/o/r',
    'https://github.com./o/r',
    'https://user@github.com/o/r',
    'https://user:pass@github.com/o/r',
    'https://x-access-token:SECRET123@github.com/o/r.git',
    'https://user:p@ss@github.com/o/r',
    'git://github.com/o/r.git',
    'ssh://git@github.com/o/r.git',
    'ssh://git@github.com:22/o/r.git',
    'ssh://git@ssh.github.com:443/o/r.git',
    'ssh://github.com/o/r',
    'git+ssh://git@github.com/o/r.git',
    'ssh+git://git@github.com/o/r.git',
    'git@github.com:o/r.git',
    'git@github.com:o/r.git/',
    'git@github.com:/o/r.git',
    'git@GitHub.com:o/r',
    'git@ssh.github.com:o/r.git',
    'github.com:o/r',
    'org-1234@github.com:o/r.git',
    'git@[github.com:443]:o/r',
    '[git@github.com:22]:o/r',
  ])('%s is o/r on github.com', (address, {expect}) => {
    expect(named(address)).toBe('github.com o r');
  });

  test.for([
    ['https://github.com/O/R/', 'github.com O R'],
    ['https://github.com/o/r.github.io', 'github.com o r.github.io'],
    ['https://github.com/o/.github', 'github.com o .github'],
    ['git@github.com:o/.github.git', 'github.com o .github'],
    ['https://github.com/o/r.git.git', 'github.com o r.git'],
    ['https://github.com/o/git', 'github.com o git'],
    ['https://x.github.com/o/r.git', 'x.github.com o r'],
    ['git@x.github.com:o/r', 'x.github.com o r'],
    ['https://ghe.example:8443/o/r', 'ghe.example:8443 o r'],
    ['https://github.com:8443/o/r', 'github.com:8443 o r'],
    ['ssh://git@ghe.example:2222/o/r.git', 'ghe.example o r'],
    ['git@[::1]:o/r', '[::1] o r'],
    ['[::1]:o/r', '[::1] o r'],
    ['ssh://git@[::1]:22/o/r', '[::1] o r'],
    ['git@work:o/r.git', 'work o r'],
    ['https://github.com@evil.example/o/r', 'evil.example o r'],
    ['https://evil.example/github.com/o', 'evil.example github.com o'],
    ['git@github.com.evil.example:o/r', 'github.com.evil.example o r'],
    ['https://notgithub.com/o/r', 'notgithub.com o r'],
    ['https://www.github.com.evil/o/r', 'www.github.com.evil o r'],
    ['git@www.github.com:o/r', 'www.github.com o r'],
    ['https://ssh.github.com/o/r', 'ssh.github.com o r'],
  ] as const)('%s is %s', ([address, expected], {expect}) => {
    expect(named(address)).toBe(expected);
  });

  test.for([
    '',
    'o/r',
    './o/r',
    '../o/r.git',
    '/srv/git/o/r.git',
    './github.com:o/r',
    '/tmp/github.com:o/r',
    'file:///srv/git/o/r.git',
    'file://github.com/o/r',
    'repo.bundle',
    '/tmp/repo.bundle',
    'https://gitlab.example/a/b/c/d.git',
    'git@gitlab.example:a/b/c.git',
    'https://github.com/o/r/tree/main',
    'https://github.com//o/r',
    'https://github.com/o//r',
    'https://github.com/o%2Fr',
    'https://github.com/o%2Fr/x',
    'https://github.com/o/r%2Fx',
    'https://github.com/o/r?ref=main',
    'https://github.com/o/r#x',
    'https://github.com?/o/r',
    'https://github.com/o',
    'https://github.com/',
    'https://github.com',
    'https:///o/r',
    'https://github.com/o/.git',
    'https://github.com/o/..',
    'https://github.com/../r',
    'https://github.com/./r',
    'https://github.com/o/r\n',
    'https://github.com/o/r\u001b[31m',
    'https://github.com\\@evil.example/o/r',
    'https://git hub.com/o/r',
    'git@github.com:~o/r',
    'git@github.com:22/o/r',
    'git@-oProxyCommand=x:o/r',
    'ssh://-oProxyCommand=x/o/r',
    'ext::sh -c true% o/r',
    'ext::git@github.com:o/r',
    'codecommit::eu-west-1://o/r',
    'constructor://github.com/o/r',
    's3://github.com/o/r',
    '://github.com/o/r',
    'gist:o',
  ])('%j is not taken for a repository', (address, {expect}) => {
    expect(named(address)).toBeUndefined();
  });

  test('gives the same for the short form and the URL', ({expect}) => {
    for (const path of ['o/r', 'o/r.git', 'O/R.git/', 'o/.github', 'o', 'a/b/c', 'o/r%2F', ''])
      for (const host of ['github.com', 'ghe.example', 'work', '[::1]', 'ssh.github.com'])
        expect(named(`git@${host}:${path}`), `${host} ${path}`).toBe(named(`ssh://git@${host}/${path}`));
  });

  test('never shows user-info', ({expect}) => {
    for (const address of [
      'https://x-access-token:SECRET@github.com/o/r',
      'https://SECRET@ghe.example:8443/o/r',
      'SECRET@work:o/r',
      'https://a:SECRET@b:SECRET@github.com/o/r',
    ])
      expect(JSON.stringify(parseRemote(address))).toMatch(/^(?!.*SECRET).*"o"/);
  });
});

describe('an address by agent-vm’s rule', () => {
  test.for([
    ['https://github.com/o/r', 'o/r'],
    ['http://github.com/o/r.git', 'o/r'],
    ['git@github.com:O/R.git', 'O/R'],
    ['ssh://git@github.com/o/r.git', 'o/r'],
    ['ssh://git@github.com:22/o/r.git', 'o/r'],
    ['ssh://git@github.com:443/o/r.git', 'o/r'],
    ['https://github.com/o/r/', 'o/r'],
    ['https://github.com/o/r.git/', 'o/r'],
    ['https://github.com/o/r/tree/main', 'o/r'],
    ['https://github.com/o/r.git.git', 'o/r.git'],
    ['https://github.com/o/.github', 'o/.github'],
    ['https://GitHub.com/o/r', undefined],
    ['HTTPS://github.com/o/r', undefined],
    ['https://user@github.com/o/r', undefined],
    ['https://github.com:443/o/r', undefined],
    ['git://github.com/o/r', undefined],
    ['github.com:o/r', undefined],
    ['ssh://github.com/o/r', undefined],
    ['ssh://git@ssh.github.com:443/o/r', undefined],
    ['ssh://git@github.com:x/o/r', undefined],
    ['git@work:o/r', undefined],
    ['https://github.com/o', undefined],
    ['https://github.com//r', undefined],
    ['https://github.com/o/.git', undefined],
    ['https://github.com/o/..', undefined],
    ['https://github.com/./r', undefined],
    ['https://github.com/o/r\u001b[31m', undefined],
    ['x https://github.com/o/r', undefined],
  ] as const)('%s is %s', ([address, expected], {expect}) => {
    expect(githubSlug(address)).toBe(expected);
  });
});
