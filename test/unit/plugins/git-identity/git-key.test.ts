import {chown, mkdir, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {absentIdentity, fileIdentity, type Launch} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import {git as step} from '../../../../plugins/git-identity/src/git.js';
import {linesOf, makeLaunch, makeTools, makeWorkplace, type Workplace} from './workplace.js';

const keyOf = (launch: Launch): string => JSON.stringify(step.key(launch));

/** A home with a global file, and a repository. */
const prepare = async (place: Workplace) => {
  await place.write('home/.gitconfig', '[user]\n\tname = Ann\n\temail = ann@home.example\n');
  return place.repository('repo');
};

describe('the key of git’s identity', () => {
  test('starts no process', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const witness = join(place.root, 'witness');
    for (const name of ['git', 'gh', 'sh', 'env']) await place.stub(name, `echo ${name} >> ${witness}`);
    step.key(makeLaunch(place.env, repository));
    step.key(makeLaunch(place.env, place.root));
    expect(linesOf(witness)).toEqual([]);
  });

  test('stays the same while nothing changes, also from another terminal', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const other = {
      ...place.env,
      TERM: 'dumb',
      GIT_PAGER: 'less',
      GIT_ASKPASS: '/x',
      GIT_AUTHOR_DATE: '1',
      SSH_TTY: 'x',
    };
    expect(keyOf(makeLaunch(other, repository))).toBe(keyOf(makeLaunch(place.env, repository)));
  });

  test('stays the same over commits and branches', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const before = keyOf(makeLaunch(place.env, repository));
    await place.git(repository, 'commit', '-q', '--allow-empty', '-m', 'second');
    await place.git(repository, 'switch', '-q', '-c', 'other');
    expect(keyOf(makeLaunch(place.env, repository))).toBe(before);
  });

  const changes: readonly (readonly [string, (place: Workplace, repository: string) => Promise<unknown>])[] = [
    ['the global file is edited', (place) => place.write('home/.gitconfig', '[user]\n\tname = Bob\n')],
    ['the XDG file appears', (place) => place.write('home/.config/git/config', '')],
    ['the repository is configured', (place, repository) => place.git(repository, 'config', 'user.name', 'Eve')],
    ['config.worktree appears', (place) => place.write('repo/.git/config.worktree', '')],
    ['the repository goes', (_, repository) => rm(join(repository, '.git'), {recursive: true})],
    ['a repository is made in between', (place) => place.git(join(place.root, 'repo', 'below'), 'init', '-q')],
    ['git is replaced', (place) => place.stub('git', `exec ${place.root}/system/git "$@"`)],
    ['the repository gets another owner', (_, repository) => chown(join(repository, '.git'), 4242, 4242)],
    [
      '.git becomes a pointer',
      async (place, repository) => {
        await rename(join(repository, '.git'), join(place.root, 'moved'));
        await writeFile(join(repository, '.git'), `gitdir: ${place.root}/moved\n`);
      },
    ],
  ];
  test.for(changes)('changes when %s', async ([, change], {expect, skip}) => {
    skip(change.toString().includes('chown') && process.getuid?.() !== 0, 'only root may give files away');
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const launch = makeLaunch(place.env, await place.directory('repo/below'));
    const before = keyOf(launch);
    await change(place, repository);
    expect(keyOf(launch)).not.toBe(before);
  });

  test.for([
    'GIT_DIR',
    'GIT_COMMON_DIR',
    'GIT_WORK_TREE',
    'GIT_CEILING_DIRECTORIES',
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    'GIT_CONFIG_GLOBAL',
    'GIT_CONFIG_SYSTEM',
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_KEY_3',
    'GIT_CONFIG_VALUE_0',
    'GIT_CONFIG_PARAMETERS',
    'EMAIL',
    'XDG_CONFIG_HOME',
    'HOME',
    'SUDO_UID',
  ])('changes with %s and does not show its value', async (name, {expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const keys = ['SECRET123', 'SECRET456', ''].map((value) =>
      keyOf(makeLaunch({...place.env, [name]: value}, repository)),
    );
    const {[name]: _, ...without} = place.env as Record<string, string>;
    expect(new Set([...keys, keyOf(makeLaunch(without, repository))]).size).toBe(4);
    if (name.startsWith('GIT_CONFIG_VALUE')) expect(keys.join()).not.toContain('SECRET');
  });

  test('differs between a working tree and its repository, and sees the configuration they share', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const tree = join(place.root, 'tree');
    await place.git(repository, 'worktree', 'add', '-q', tree);
    const launches = [repository, tree].map((cwd) => makeLaunch(place.env, cwd));
    const before = launches.map(keyOf);
    expect(new Set(before).size).toBe(2);
    await place.git(repository, 'config', 'user.name', 'Shared');
    const shared = launches.map(keyOf);
    expect(shared.some((key, index) => key === before[index])).toBe(false);
    await place.git(repository, 'config', 'extensions.worktreeConfig', 'true');
    const extended = launches.map(keyOf);
    await place.git(tree, 'config', '--worktree', 'user.name', 'Tree');
    expect(launches.map((launch, index) => keyOf(launch) === extended[index])).toEqual([true, false]);
  });

  test('sees through a link that is put on another repository', async ({expect}) => {
    await using place = await makeWorkplace();
    await prepare(place);
    await place.repository('other');
    const link = join(place.root, 'link');
    await symlink('repo', link);
    const before = keyOf(makeLaunch(place.env, link));
    await rm(link);
    await symlink('other', link);
    expect(keyOf(makeLaunch(place.env, link))).not.toBe(before);
  });

  test('copes with whatever lies in place of a repository', async ({expect}) => {
    await using place = await makeWorkplace();
    const git = await place.directory('odd/.git');
    for (const name of ['HEAD', 'objects', 'config', 'commondir']) await mkdir(join(git, name));
    expect(() => step.key(makeLaunch(place.env, join(place.root, 'odd')))).not.toThrow();
    await place.write('file/.git', 'x'.repeat(100_000));
    expect(() => step.key(makeLaunch(place.env, join(place.root, 'file')))).not.toThrow();
    expect(() => step.key(makeLaunch({}, join(place.root, 'nowhere')))).not.toThrow();
  });
});

describe('files that git’s identity also depends on', () => {
  const dependenciesOf = async (place: Workplace, cwd: string): Promise<readonly string[]> => {
    const tools = makeTools();
    await step.read(makeLaunch(place.env, cwd), tools);
    return tools.dependencies;
  };

  test('are the included ones, however deep, and however their path is written', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    await place.write('home/.gitconfig', '[include]\n\tpath = ~/one.inc\n');
    await place.write('home/one.inc', '[include]\n\tpath = deep/two.inc\n');
    await place.write('home/deep/two.inc', '[user]\n\temail = two@example.com\n');
    await place.git(repository, 'config', 'include.path', '../local.inc');
    await place.write('repo/local.inc', '[core]\n\tbare = false\n');
    const files = await dependenciesOf(place, await place.directory('repo/below'));
    const expected = ['home/one.inc', 'home/deep/two.inc', 'repo/local.inc'].map((path) => join(place.root, path));
    expect(files).toEqual(expect.arrayContaining(expected));
  });

  test('are those whose condition does not hold, and those that do not exist yet', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const condition = `[includeIf "gitdir:${place.root}/elsewhere/"]\n\tpath = later.inc\n`;
    await place.write('home/.gitconfig', `${condition}[include]\n\tpath = ~/missing.inc\n`);
    const files = await dependenciesOf(place, repository);
    for (const name of ['later.inc', 'missing.inc']) {
      const file = join(place.home, name);
      expect(files).toContain(file);
      expect(fileIdentity(file)).toBe(absentIdentity);
    }
  });

  test('show an edit by their identity, so that the next launch sees it', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    await place.write('home/.gitconfig', `[include]\n\tpath = one.inc\n`);
    const file = await place.write('home/one.inc', '[user]\n\tname = Ann\n\temail = one@example.com\n');
    const launch = makeLaunch(place.env, repository);
    const tools = makeTools();
    expect(await step.read(launch, tools)).toMatchObject({global: {email: 'one@example.com'}});
    expect(tools.dependencies).toContain(file);
    const [key, identity] = [keyOf(launch), fileIdentity(file)];
    await place.write('home/one.inc', '[user]\n\tname = Ann\n\temail = two@example.com\n');
    expect(keyOf(launch)).toBe(key);
    expect(fileIdentity(file)).not.toBe(identity);
    expect(await step.read(launch, makeTools())).toMatchObject({global: {email: 'two@example.com'}});
  });

  test('are HEAD where an include depends on the branch, and not elsewhere', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    const head = join(repository, '.git', 'HEAD');
    expect(await dependenciesOf(place, repository)).not.toContain(head);
    await place.git(repository, 'config', 'includeIf.onbranch:release.path', 'x.inc');
    expect(await dependenciesOf(place, repository)).toContain(head);
    const identity = fileIdentity(head);
    await place.git(repository, 'switch', '-q', '-c', 'release');
    expect(fileIdentity(head)).not.toBe(identity);
  });

  test('are reported before git is asked for the author, so that an edit in between is not lost', async ({expect}) => {
    await using place = await makeWorkplace();
    const repository = await prepare(place);
    await place.write('home/.gitconfig', '[include]\n\tpath = one.inc\n');
    await place.write('home/one.inc', '[user]\n\tname = Ann\n\temail = one@example.com\n');
    const order: string[] = [];
    const tools = makeTools({
      span: (name, work) => {
        order.push(name);
        return work();
      },
      dependsOn: () => void order.push('file'),
    });
    await step.read(makeLaunch(place.env, repository), tools);
    expect(order.indexOf('file')).toBeGreaterThan(order.indexOf('git config'));
    expect(order.lastIndexOf('file')).toBeLessThan(order.indexOf('git var'));
  });
});
