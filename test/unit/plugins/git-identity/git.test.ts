import {chown, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {git as step} from '../../../../plugins/git-identity/src/git.js';
import {run} from '../../../rig/program.js';
import {linesOf, makeLaunch, makeTools, makeWorkplace, reasonOf, type Workplace} from './workplace.js';

const ANN = {name: 'Ann', email: 'ann@home.example'};
const globalAnn = '[user]\n\tname = Ann\n\temail = ann@home.example\n';

const ask = (place: Workplace, cwd: string, env: Record<string, string> = {}) =>
  step.read(makeLaunch({...place.env, ...env}, cwd), makeTools());

/** What the caller's own git says there, without the date. */
const identOf = async (place: Workplace, cwd: string, env: Record<string, string> = {}) => {
  const result = await run(['git', 'var', 'GIT_AUTHOR_IDENT'], {cwd, env: {...place.env, ...env}});
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d+\n$/.exec(result.stdout) ?? [];
  return {name, email};
};

describe('the identity of git', () => {
  test('is the global one alone where nothing else is set', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    expect(await ask(place, repository)).toEqual({directory: null, global: ANN});
    expect(await ask(place, place.root)).toEqual({directory: null, global: ANN});
  });

  test('is also found in the XDG file', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('xdg/git/config', globalAnn);
    const answer = await ask(place, place.root, {XDG_CONFIG_HOME: join(place.root, 'xdg')});
    expect(answer).toEqual({directory: null, global: ANN});
  });

  test('is the repository’s own where it has one, in every directory below', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.name', 'Ann at Work');
    await place.git(repository, 'config', 'user.email', 'ann@work.example');
    const below = await place.directory('repo/a/b');
    for (const cwd of [repository, below, join(repository, '.git')]) {
      const answer = await ask(place, cwd);
      expect(answer).toEqual({directory: {name: 'Ann at Work', email: 'ann@work.example'}, global: ANN});
      expect(answer).toMatchObject({directory: await identOf(place, cwd)});
    }
  });

  test('mixes a local name with the global e-mail as git does', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.name', 'Annie');
    expect(await ask(place, repository)).toEqual({directory: {name: 'Annie', email: ANN.email}, global: ANN});
  });

  test('counts as set here even when it repeats the global one', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.email', ANN.email);
    expect(await ask(place, repository)).toEqual({directory: ANN, global: ANN});
  });

  test('prefers author.* to user.*', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', `${globalAnn}[author]\n\temail = author@home.example\n`);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.email', 'hidden@work.example');
    const author = {name: 'Ann', email: 'author@home.example'};
    expect(await ask(place, repository)).toEqual({directory: null, global: author});
    await place.git(repository, 'config', 'author.name', 'Author');
    expect(await ask(place, repository)).toEqual({directory: {...author, name: 'Author'}, global: author});
  });

  test('that git would make up from user and host name does not count', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await place.repository('repo');
    expect(await ask(place, repository)).toEqual({directory: null, global: null});
    await place.git(repository, 'config', 'user.name', 'Only a Name');
    expect(await ask(place, repository)).toEqual({directory: null, global: null});
    await place.write('home/.gitconfig', '[user]\n\temail = only@an-email.example\n');
    await place.git(repository, 'config', '--unset', 'user.name');
    expect(await ask(place, repository)).toEqual({directory: null, global: null});
    await place.git(repository, 'config', 'user.email', 'only@an-email.example');
    expect(await ask(place, repository)).toEqual({directory: null, global: null});
  });

  test('takes EMAIL as git does, and not where user.useConfigOnly forbids it', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', '[user]\n\tname = Ann\n');
    const env = {EMAIL: 'ann@env.example'};
    expect(await ask(place, place.root, env)).toEqual({directory: null, global: {name: 'Ann', email: env.EMAIL}});
    await place.write('home/.gitconfig', '[user]\n\tname = Ann\n\tuseConfigOnly = true\n');
    expect(await ask(place, place.root, env)).toEqual({directory: null, global: null});
  });

  test('is nobody when a half is set to nothing', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', '[user]\n\tname = ""\n\temail = ann@home.example\n');
    expect(await ask(place, place.root)).toEqual({directory: null, global: null});
    await place.write('home/.gitconfig', '[user]\n\tname = Ann\n\temail =\n');
    expect(await ask(place, place.root)).toEqual({directory: null, global: null});
  });
});

describe('an identity for this directory in particular', () => {
  test('comes from includeIf with gitdir, only below that directory', async ({expect}) => {
    await using place = await makeWorkplace();
    const include = `[includeIf "gitdir:${place.root}/work/"]\n\tpath = work.inc\n`;
    await place.write('home/.gitconfig', globalAnn + include);
    await place.write('home/work.inc', '[user]\n\temail = ann@work.example\n');
    const work = await place.repository('work/repo');
    const own = await place.repository('own/repo');
    for (const cwd of [work, own, work]) {
      const answer = await ask(place, cwd);
      expect(answer).toMatchObject({global: ANN});
      expect({...ANN, ...(answer as {directory: object | null}).directory}).toEqual(await identOf(place, cwd));
    }
    expect(await ask(place, work)).toMatchObject({directory: {name: 'Ann', email: 'ann@work.example'}});
    expect(await ask(place, own)).toMatchObject({directory: null});
  });

  test('is not what an includeIf for every repository sets outside of them', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', `${globalAnn}[includeIf "gitdir:/**"]\n\tpath = any.inc\n`);
    await place.write('home/any.inc', '[user]\n\temail = ann@any.example\n');
    const repository = await place.repository('repo');
    expect(await ask(place, repository)).toEqual({directory: {name: 'Ann', email: 'ann@any.example'}, global: ANN});
  });

  test('comes from includeIf with hasconfig', async ({expect}) => {
    await using place = await makeWorkplace();
    const condition = 'hasconfig:remote.*.url:https://github.com/acme/**';
    await place.write('home/.gitconfig', `${globalAnn}[includeIf "${condition}"]\n\tpath = ~/acme.inc\n`);
    await place.write('home/acme.inc', '[user]\n\temail = ann@acme.example\n');
    const repository = await place.repository('repo');
    expect(await ask(place, repository)).toMatchObject({directory: null});
    await place.git(repository, 'remote', 'add', 'any', 'https://github.com/acme/tool');
    expect(await ask(place, repository)).toMatchObject({directory: {name: 'Ann', email: 'ann@acme.example'}});
  });

  test('comes from includeIf with onbranch and changes with the branch', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'includeIf.onbranch:release.path', '../../branch.inc');
    await place.write('home/.gitconfig', globalAnn);
    await place.write('branch.inc', '[user]\n\tname = Release\n');
    expect(await ask(place, repository)).toMatchObject({directory: null});
    await place.git(repository, 'switch', '-q', '-c', 'release');
    expect(await ask(place, repository)).toMatchObject({directory: {name: 'Release', email: ANN.email}});
  });

  test('comes from a working tree’s own configuration, for that working tree only', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    const tree = join(place.root, 'tree');
    await place.git(repository, 'worktree', 'add', '-q', tree);
    await place.git(repository, 'config', 'extensions.worktreeConfig', 'true');
    await place.git(tree, 'config', '--worktree', 'user.email', 'tree@work.example');
    expect(await ask(place, tree)).toEqual({directory: {name: 'Ann', email: 'tree@work.example'}, global: ANN});
    expect(await ask(place, repository)).toEqual({directory: null, global: ANN});
  });

  test.for([
    {GIT_AUTHOR_EMAIL: 'call@env.example'},
    {GIT_AUTHOR_NAME: 'Call', GIT_AUTHOR_EMAIL: 'call@env.example'},
    {GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.email', GIT_CONFIG_VALUE_0: 'call@env.example'},
    {GIT_CONFIG_PARAMETERS: "'user.email'='call@env.example'"},
  ])('comes from variables of the launch: %o', async (env, {expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    for (const cwd of [repository, place.root]) {
      const answer = await ask(place, cwd, env);
      expect(answer).toEqual({directory: await identOf(place, cwd, env), global: ANN});
      expect(answer).toMatchObject({directory: {email: 'call@env.example'}});
    }
  });

  test('comes from a global file chosen for the launch, also by a relative path', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    await place.write('other.config', '[user]\n\tname = Other\n\temail = other@example.com\n');
    const other = {name: 'Other', email: 'other@example.com'};
    for (const GIT_CONFIG_GLOBAL of [join(place.root, 'other.config'), 'other.config'])
      expect(await ask(place, place.root, {GIT_CONFIG_GLOBAL})).toEqual({directory: other, global: other});
    expect(await ask(place, place.root, {GIT_CONFIG_GLOBAL: '/dev/null'})).toEqual({directory: null, global: null});
  });

  test('comes from the repository that GIT_DIR names', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.name', 'Elsewhere');
    for (const GIT_DIR of [join(repository, '.git'), 'repo/.git'])
      expect(await ask(place, place.root, {GIT_DIR})).toEqual({
        directory: {name: 'Elsewhere', email: ANN.email},
        global: ANN,
      });
  });

  test('is not taken from a repository of another user, which git refuses', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.name', 'Mallory');
    expect(await ask(place, repository)).toMatchObject({directory: {name: 'Mallory'}});
    if (process.getuid?.() !== 0) return;
    for (const path of [repository, join(repository, '.git')]) await chown(path, 12_345, 12_345);
    expect(await ask(place, repository)).toEqual({directory: null, global: ANN});
  });

  test('cannot come from a directory that is gone, where the rest is still answered', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const gone = await place.directory('gone');
    await rm(gone, {recursive: true});
    expect(await ask(place, gone)).toEqual({directory: null, global: ANN});
    expect(await ask(place, gone, {GIT_AUTHOR_NAME: 'Call'})).toEqual({
      directory: {name: 'Call', email: ANN.email},
      global: ANN,
    });
  });
});

describe('names and e-mails', () => {
  const kept = [
    'Ann "Q" Lee',
    'back\\slash in the midst',
    'x # y ; z',
    'Ann 🦊 Lee',
    'right \u202eto left',
    `${'long '.repeat(1000)}name`,
    '𝔸'.repeat(3000),
    'null',
    "O'Hara",
  ];
  test.for(kept.map((name) => [name.slice(0, 30), name] as const))(
    'come back as they were: %s',
    async ([, name], {expect}) => {
      await using place = await makeWorkplace();
      const repository = await place.repository('repo');
      await place.git(repository, 'config', '--global', 'user.name', name);
      await place.git(repository, 'config', '--global', 'user.email', 'a@b');
      await place.git(repository, 'config', 'user.email', `"${name}"@b`);
      const answer = step.parse(JSON.parse(JSON.stringify(await ask(place, repository))));
      expect(answer.global).toEqual({name, email: 'a@b'});
      expect(answer.directory).toEqual(await identOf(place, repository));
      expect(answer.directory?.name).toBe(name);
    },
  );

  test.for(['A\n[core]\n\tsshCommand = touch pwned', 'tab\tbed', 'esc \u001b[31mred', 'delete \u007f'])(
    'with control characters are refused: %j',
    async (name, {expect}) => {
      await using place = await makeWorkplace();
      const repository = await place.repository('repo');
      await place.git(repository, 'config', '--global', 'user.name', name);
      await place.git(repository, 'config', '--global', 'user.email', 'a@b');
      expect(await ask(place, repository)).toEqual({directory: null, global: null});
      await place.git(repository, 'config', 'user.email', 'c@d');
      expect(await reasonOf(ask(place, repository))).toBe('malformed');
      expect(await reasonOf(ask(place, repository, {GIT_AUTHOR_NAME: name}))).toBe('malformed');
    },
  );

  test('in bytes that are no UTF-8 are refused instead of changed', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', Buffer.from('[user]\n\tname = J\xf6rg\n\temail = j@b\n', 'latin1'));
    expect(await ask(place, place.root)).toEqual({directory: null, global: null});
  });
});

describe('asking git', () => {
  test('works in a directory with any name', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository(`${'项目'.repeat(30)} 🦊/"a'b`);
    await place.git(repository, 'config', 'user.name', '名前');
    expect(await ask(place, repository)).toEqual({directory: {name: '名前', email: ANN.email}, global: ANN});
  });

  test('takes four processes at most, of which none is told to write or to ask', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.name', 'Local');
    const calls = join(place.root, 'calls');
    await place.stub('git', `echo "$*" >> ${calls}\nexec ${place.root}/system/git "$@"`);
    expect(await ask(place, repository)).toMatchObject({directory: {name: 'Local'}, global: ANN});
    expect(linesOf(calls)).toHaveLength(4);
    expect(
      linesOf(calls).every((call) => / (?:config --show-origin -z --get-regexp|var GIT_AUTHOR_IDENT)/.test(call)),
    ).toBe(true);
  });

  test('runs nothing that a repository configures', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    const trap = await place.stub('trap', `echo sprung >> ${place.root}/sprung`);
    await place.git(repository, 'config', 'user.name', 'Local');
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'core.editor',
      'core.sshCommand',
      'core.askPass',
      'pager.config',
    ])
      await place.git(repository, 'config', key, trap);
    await place.git(repository, 'config', 'core.hooksPath', place.bin);
    await place.git(repository, 'config', 'alias.var', `!${trap}`);
    await place.git(repository, 'config', 'alias.config', `!${trap}`);
    expect(await ask(place, repository)).toMatchObject({directory: {name: 'Local'}});
    expect(linesOf(join(place.root, 'sprung'))).toEqual([]);
  });

  test('leaves no trace in a file the user’s own git calls are traced to', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const trace = join(place.root, 'trace');
    const env = {GIT_TRACE: trace, GIT_TRACE2_EVENT: trace, GIT_TRACE_SETUP: trace};
    expect(await ask(place, place.root, env)).toMatchObject({global: ANN});
    expect(linesOf(trace)).toEqual([]);
  });

  test('is not misled by GIT_CONFIG or a broken date, which do not change the author', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', globalAnn);
    const repository = await place.repository('repo');
    await place.git(repository, 'config', 'user.name', 'Local');
    const env = {GIT_CONFIG: '/dev/null', GIT_AUTHOR_DATE: 'no date'};
    expect(await ask(place, repository, env)).toEqual({directory: {name: 'Local', email: ANN.email}, global: ANN});
  });

  test('gives no answer where git cannot read its configuration', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.write('home/.gitconfig', '[user\n');
    expect(await reasonOf(ask(place, place.root))).toBe('malformed');
  });

  test('gives no answer without git', async ({expect}) => {
    await using place = await makeWorkplace();
    expect(await reasonOf(ask(place, place.root, {PATH: place.bin}))).toBe('not-installed');
  });

  test('accepts stored answers of the right shape only', ({expect}) => {
    expect(step.parse({directory: null, global: {...ANN, more: 1}})).toEqual({directory: null, global: ANN});
    const wrong = [
      null,
      [],
      'x',
      {},
      {directory: null},
      {directory: {name: 'A'}, global: null},
      {directory: {name: 'A', email: 7}, global: null},
      {directory: {name: 'A\nB', email: 'x'}, global: null},
      {directory: {name: '', email: 'x'}, global: null},
    ];
    for (const stored of wrong) expect(() => step.parse(stored), JSON.stringify(stored)).toThrow();
  });
});
