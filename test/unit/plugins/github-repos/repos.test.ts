import {rename, rm, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import {fileIdentity} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/github-repos/src/index.js';
import type {Repos} from '../../../../plugins/github-repos/src/stored-repos.js';
import {requireProgram} from '../../../rig/program.js';
import {linesOf, makeLaunch, makeTools, makeWorkplace, reasonOf, type Workplace} from '../git-identity/workplace.js';

const [step] = plugin.steps;

const launchIn = (place: Workplace, cwd: string, rest: Partial<Launch> = {}, env: Record<string, string> = {}) =>
  makeLaunch({...place.env, ...env}, cwd, rest);

const ask = async (launch: Launch): Promise<Repos> => step.parse(await step.read(launch, makeTools()));

const listed = ({repos}: Repos): readonly string[] => repos.map(({host, owner, repo}) => `${host}/${owner}/${repo}`);

/** A repository with these remotes, by name. */
const cloned = async (place: Workplace, path: string, remotes: Record<string, string>): Promise<string> => {
  const repository = await place.repository(path);
  for (const [name, url] of Object.entries(remotes)) await place.git(repository, 'remote', 'add', name, url);
  return repository;
};

describe('the allow-list', () => {
  test('has all remotes of the project, whatever they are called', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {
      fork: 'git@github.com:Me/Tool.git',
      upstream: 'https://github.com/acme/tool',
      mirror: 'https://gitlab.example/acme/tool',
    });
    await place.git(repository, 'remote', 'set-url', '--push', 'upstream', 'git@github.com:acme/pushed.git');
    const answer = await ask(launchIn(place, repository));
    expect([...answer.allowList].sort()).toEqual(['Me/Tool', 'acme/pushed', 'acme/tool']);
    const others = ['github.com/Me/Tool', 'github.com/acme/pushed', 'github.com/acme/tool', 'gitlab.example/acme/tool'];
    expect([...listed(answer)].sort()).toEqual(others);
  });

  test('keeps the first spelling of a repository', async ({expect}) => {
    await using place = await makeWorkplace();
    const remotes = {a: 'https://github.com/Acme/Tool', b: 'https://github.com/acme/tool.git'};
    const repository = await cloned(place, 'repo', remotes);
    const answer = await ask(launchIn(place, repository));
    expect(answer.allowList).toEqual(['Acme/Tool']);
    expect(listed(answer)).toEqual(['github.com/Acme/Tool']);
  });

  test('has submodules of one level, from a plain .gitmodules only', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    const modules =
      '[submodule "a b"]\n\tpath = a\n\turl = https://github.com/o/sub.git\n' +
      '[submodule "rel"]\n\tpath = b\n\turl = ../other.git\n';
    await place.write('repo/.gitmodules', modules);
    await place.write('repo/a/.gitmodules', '[submodule "deep"]\n\turl = https://github.com/o/deep\n');
    expect((await ask(launchIn(place, repository))).allowList).toEqual(['o/r', 'o/sub']);
    await rename(join(repository, '.gitmodules'), join(place.root, 'modules'));
    await symlink(join(place.root, 'modules'), join(repository, '.gitmodules'));
    const answer = await ask(launchIn(place, repository));
    expect(answer.allowList).toEqual(['o/r']);
    expect(listed(answer)).toEqual(['github.com/o/r']);
  });

  test('has mounted directories, and what --repo names, before the guest’s own arguments', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    const one = await cloned(place, 'one', {origin: 'https://github.com/o/one'});
    const two = await cloned(place, 'two', {origin: 'https://github.com/o/two'});
    const flags = ['--memory', '4', '--mount', `${one}:/one`, '--no-update-check', `--mount=${two}`, '--repo', ' X/Y '];
    const argv = ['claude', ...flags, '--mount', `${repository}`, '--mount', 'relative', '--mount', '/no/such/place'];
    const answer = await ask(
      launchIn(place, repository, {argv: [...argv, '--repo=o/ONE', '--model', 'x', '--repo', 'no/no']}),
    );
    expect(answer.allowList).toEqual(['o/r', 'o/one', 'o/two', 'X/Y']);
    expect(listed(answer)).toEqual(['github.com/o/r', 'github.com/o/one', 'github.com/o/two', 'github.com/X/Y']);
    const program = await ask(launchIn(place, repository, {runtime: 'process', argv: ['docker', ...flags]}));
    expect(program.allowList).toEqual(['o/r']);
  });

  test('is what --repo names alone under --no-git', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    const answer = await ask(
      launchIn(place, repository, {argv: ['shell', '--no-git', '--repo', 'a/b', '--', '--repo', 'c/d']}),
    );
    expect(answer).toEqual({allowList: ['a/b'], repos: [{host: 'github.com', owner: 'a', repo: 'b'}]});
  });

  test('is empty outside of repositories, and without remotes', async ({expect}) => {
    await using place = await makeWorkplace();
    expect(await ask(launchIn(place, place.root))).toEqual({allowList: [], repos: []});
    expect(await ask(launchIn(place, await place.repository('repo')))).toEqual({allowList: [], repos: []});
    const gone = await place.directory('gone');
    await rm(gone, {recursive: true});
    expect(await ask(launchIn(place, gone))).toEqual({allowList: [], repos: []});
  });

  test('is provided to the runtime', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'git@github.com:o/r.git'});
    const repos = await ask(launchIn(place, repository));
    expect(plugin.compose({repos})).toEqual([{kind: 'provide', name: 'github-repos', value: ['o/r']}]);
    expect(plugin.compose({})).toEqual([]);
  });

  test('comes from exactly the questions that agent-vm asks', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    await place.write('repo/.gitmodules', '');
    const calls = join(place.root, 'calls');
    const body = `echo "$GIT_CONFIG_SYSTEM $GIT_CONFIG_GLOBAL $*" >> ${calls}\nexec ${place.root}/system/git "$@"`;
    await place.stub('git', body);
    await ask(launchIn(place, repository));
    const careful =
      '-c core.fsmonitor= -c core.fsmonitorHookVersion= -c core.pager=cat -c core.editor=: -c safe.directory=* -c protocol.allow=never';
    const asked = linesOf(calls);
    expect(asked).toContain(`/dev/null /dev/null ${careful} -C ${repository} remote -v`);
    expect(asked).toContain(
      `/dev/null /dev/null ${careful} config -f ${repository}/.gitmodules --get-regexp ^submodule\\..*\\.url$`,
    );
    expect(asked.every((call) => call.includes(careful))).toBe(true);
    expect(asked).toHaveLength(4);
  });
});

describe('repositories by all forms of addresses', () => {
  test('follow insteadOf and pushInsteadOf of the launch’s configuration, which agent-vm ignores', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write(
      'home/.gitconfig',
      '[url "https://github.com/"]\n\tinsteadOf = gh:\n[url "ssh://git@github.com/"]\n\tpushInsteadOf = push:\n',
    );
    const repository = await cloned(place, 'repo', {origin: 'gh:o/r', other: 'push:o/pushed'});
    const answer = await ask(launchIn(place, repository));
    expect(answer.allowList).toEqual([]);
    expect(listed(answer)).toEqual(['github.com/o/r', 'github.com/o/pushed']);
    const byCall = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'url.https://ghe.example/o.insteadOf',
      GIT_CONFIG_VALUE_0: 'gh:o',
    };
    expect(listed(await ask(launchIn(place, repository, {}, byCall)))).toContain('ghe.example/o/r');
  });

  test('follow SSH aliases, plain, by wildcard and from an included file', async ({expect}) => {
    await using place = await makeWorkplace();
    const ssh = requireProgram('ssh', 'openssh-client');
    const included = await place.write('ssh/more', 'Host three\n\tHostName ghe.example\nHost plain\n\tUser x\n');
    const config = await place.write(
      'ssh/config',
      `Include ${included}\nHost work\n\tHostName github.com\nHost gh-*\n\tHostName ssh.github.com\n\tPort 443\n`,
    );
    await place.stub('ssh', `exec ${ssh} -F ${config} "$@"`);
    const repository = await cloned(place, 'repo', {
      a: 'git@work:o/alias.git',
      b: 'gh-private:o/wild',
      c: 'ssh://git@three/o/company',
      d: 'git@plain:o/nothing',
      e: 'git@unknown:o/nothing',
      f: 'git@gitlab.example:o/lab',
      g: 'git@-oProxyCommand=x:o/nothing',
    });
    const tools = makeTools();
    const answer = step.parse(await step.read(launchIn(place, repository), tools));
    expect(listed(answer)).toEqual([
      'github.com/o/alias',
      'github.com/o/wild',
      'ghe.example/o/company',
      'gitlab.example/o/lab',
    ]);
    expect(answer.allowList).toEqual([]);
    expect(tools.dependencies).toEqual(expect.arrayContaining([config, included]));
  });

  test('leave out what nothing explains, without ssh', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {
      a: 'git@work:o/r',
      b: 'git@github.com:o/r',
      c: 'git@ghe.example:o/r',
    });
    expect(listed(await ask(launchIn(place, repository)))).toEqual(['github.com/o/r', 'ghe.example/o/r']);
  });

  test('ask ssh about other hosts than github.com only, and about eight at most', async ({expect}) => {
    await using place = await makeWorkplace();
    const calls = join(place.root, 'calls');
    await place.stub('ssh', `echo "$*" >> ${calls}`);
    const repository = await cloned(place, 'repo', {a: 'git@github.com:o/r', b: 'git@ssh.github.com:o/r'});
    await ask(launchIn(place, repository));
    expect(linesOf(calls)).toEqual([]);
    const many = Array.from({length: 30}, (_, index) => [`r${index}`, `git@host${index % 20}:o/r`] as const);
    await ask(launchIn(place, await cloned(place, 'many', Object.fromEntries(many))));
    expect(linesOf(calls)).toHaveLength(8);
  });

  test('never hold a token that stands in an address', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://x-access-token:SECRET123@github.com/o/r.git'});
    await place.write('repo/.gitmodules', '[submodule "a"]\n\turl = https://SECRET456@ghe.example/o/sub\n');
    const launch = launchIn(place, repository);
    const answer = await ask(launch);
    expect(listed(answer)).toEqual(['github.com/o/r', 'ghe.example/o/sub']);
    expect(JSON.stringify([answer, step.key(launch)])).not.toContain('SECRET');
  });
});

describe('a hostile repository', () => {
  test('runs nothing', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r', ext: `ext::sh -c "echo % >&2"`});
    const trap = await place.stub('trap', `echo sprung >> ${place.root}/sprung`);
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'pager.remote',
      'pager.config',
      'core.editor',
      'core.sshCommand',
    ])
      await place.git(repository, 'config', key, trap);
    for (const command of ['remote', 'config']) await place.git(repository, 'config', `alias.${command}`, `!${trap}`);
    await place.git(repository, 'config', 'core.hooksPath', place.bin);
    expect((await ask(launchIn(place, repository))).allowList).toEqual(['o/r']);
    expect(linesOf(join(place.root, 'sprung'))).toEqual([]);
  });

  test('brings no control characters in', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await place.repository('repo');
    await place.write('repo/.gitmodules', '[submodule "a"]\n\turl = "https://github.com/o/r\u001b[31m"\n');
    await place.git(repository, 'config', 'remote.x.url', 'https://github.com/o/\u0007r');
    const argv = ['shell', '--repo', 'a/\u001b[31mb'];
    expect(await ask(launchIn(place, repository, {argv}))).toEqual({allowList: [], repos: []});
  });

  test('with a broken configuration contributes nothing', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    await place.write('repo/.git/config', '[core\n');
    expect(await ask(launchIn(place, repository, {argv: ['shell', '--repo', 'a/b']}))).toMatchObject({
      allowList: ['a/b'],
    });
  });
});

describe('the key of the repositories', () => {
  const keyOf = (launch: Launch): string => JSON.stringify(step.key(launch));

  test('starts no process', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    const witness = join(place.root, 'witness');
    for (const name of ['git', 'ssh', 'gh', 'sh']) await place.stub(name, `echo ${name} >> ${witness}`);
    step.key(launchIn(place, repository, {argv: ['shell', '--mount', place.root]}));
    expect(linesOf(witness)).toEqual([]);
  });

  const changes: readonly (readonly [string, (place: Workplace, repository: string) => Promise<unknown>])[] = [
    ['a remote is added', (place, repository) => place.git(repository, 'remote', 'add', 'x', 'https://github.com/o/x')],
    ['.gitmodules appears', (place) => place.write('repo/.gitmodules', '')],
    ['the global configuration is edited', (place) => place.write('home/.gitconfig', '[user]\n')],
    ['the XDG configuration appears', (place) => place.write('home/.config/git/config', '')],
    ['the mounted repository changes', (place) => place.git(join(place.root, 'other'), 'config', 'a.b', 'c')],
    ['the mounted repository gets submodules', (place) => place.write('other/.gitmodules', '')],
    ['the repository goes', (_, repository) => rm(join(repository, '.git'), {recursive: true})],
    ['git is replaced', (place) => place.stub('git', `exec ${place.root}/system/git "$@"`)],
    ['ssh appears', (place) => place.stub('ssh', 'exit 255')],
  ];
  test.for(changes)('changes when %s', async ([, change], {expect}) => {
    await using place = await makeWorkplace();
    const repository = await cloned(place, 'repo', {origin: 'https://github.com/o/r'});
    const other = await place.repository('other');
    const launch = launchIn(place, repository, {argv: ['shell', '--mount', `${other}:/other`]});
    const before = keyOf(launch);
    expect(keyOf(launch)).toBe(before);
    await change(place, repository);
    expect(keyOf(launch)).not.toBe(before);
  });

  test('tells projects, flags and variables apart, and nothing else', async ({expect}) => {
    await using place = await makeWorkplace();
    const [one, two] = [await place.repository('one'), await place.repository('two')];
    const argvs = [[], ['--no-git'], ['--repo', 'a/b'], ['--mount', two], ['--mount', '/no/such']];
    const keys = argvs.map((flags) => keyOf(launchIn(place, one, {argv: ['shell', ...flags]})));
    const further = [{GIT_DIR: '/x'}, {GIT_CONFIG_COUNT: '0'}, {GIT_CONFIG_VALUE_0: 'SECRET'}, {XDG_CONFIG_HOME: '/x'}];
    const variables = further.map((env) => keyOf(launchIn(place, one, {}, env)));
    expect(new Set([...keys, ...variables, keyOf(launchIn(place, two))]).size).toBe(10);
    expect(variables.join()).not.toContain('SECRET');
    const same = launchIn(
      place,
      one,
      {verb: 'claude', argv: ['claude', '--memory', '8', 'say hi']},
      {TERM: 'x', GH_TOKEN: 'y'},
    );
    expect(keyOf(same)).toBe(keys[0]);
  });

  test('is helped by reports of included files, so that an edit of one is seen', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', '[include]\n\tpath = short.inc\n[include]\n\tpath = ~/later.inc\n');
    const file = await place.write('home/short.inc', '[url "https://github.com/"]\n\tinsteadOf = gh:\n');
    const repository = await cloned(place, 'repo', {origin: 'gh:o/r'});
    const tools = makeTools();
    const launch = launchIn(place, repository);
    await step.read(launch, tools);
    expect(tools.dependencies).toEqual(expect.arrayContaining([file, join(place.home, 'later.inc')]));
    const identity = fileIdentity(file);
    await place.write('home/short.inc', '[url "https://ghe.example/"]\n\tinsteadOf = gh:\n');
    expect(fileIdentity(file)).not.toBe(identity);
    expect(listed(await ask(launch))).toEqual(['ghe.example/o/r']);
  });
});

describe('the repositories', () => {
  test('have no answer without git', async ({expect}) => {
    await using place = await makeWorkplace();
    const launch = launchIn(place, place.root, {}, {PATH: place.bin});
    expect(await reasonOf(Promise.resolve(step.read(launch, makeTools())))).toBe('not-installed');
  });

  test('are accepted from the store in the right shape only', ({expect}) => {
    const good = {repos: [{host: 'github.com', owner: 'o', repo: 'r'}], allowList: ['o/r']};
    expect(step.parse({...good, more: 1})).toEqual(good);
    const repo = good.repos[0];
    const wrong = [
      null,
      [],
      'x',
      {},
      {repos: []},
      {...good, allowList: [7]},
      {...good, allowList: ['a\nb']},
      {...good, repos: [7]},
    ];
    for (const stored of [
      ...wrong,
      {...good, repos: [{...repo, host: ''}]},
      {...good, repos: [{owner: 'o', repo: 'r'}]},
    ])
      expect(() => step.parse(stored), JSON.stringify(stored)).toThrow();
  });
});
