import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {findProject, type Project} from '../../../../plugins/qemu/src/project.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('qemu-project');
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const at = (...names: readonly string[]): string => join(root, ...names);

const make = (...names: readonly string[]): string => {
  mkdirSync(at(...names), {recursive: true});
  return at(...names);
};

const git = (cwd: string, ...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...identity, ...args], {cwd, stdio: 'ignore', env: {...process.env, HOME: root}});
};

const projectAt = (cwd: string): Project => findProject({cwd, env: {HOME: at('home')}});

describe('the project of a launch', () => {
  test('is the working tree around its directory', ({expect}) => {
    const top = make('home', 'code');
    git(top, 'init');
    expect(projectAt(make('home', 'code', 'src'))).toEqual({kind: 'project', path: top, gitDirectories: []});
  });

  test('is the directory itself where there is no repository', ({expect}) => {
    expect(projectAt(make('home', 'plain'))).toMatchObject({kind: 'project', path: at('home', 'plain')});
  });

  test('never is the home directory, nor what holds it', ({expect}) => {
    const home = make('home');
    expect(projectAt(home)).toEqual({kind: 'none', why: `${home} is your home directory`});
    expect(projectAt(root)).toEqual({kind: 'none', why: `your home directory lies in ${root}`});
  });

  test('a repository of the whole home directory does not make it the project of what lies in it', ({expect}) => {
    git(make('home'), 'init');
    const inside = make('home', 'code', 'thing');
    expect(projectAt(inside)).toMatchObject({kind: 'project', path: inside});
  });

  test('directories that hold keys are none', ({expect}) => {
    expect(projectAt(make('home', '.ssh'))).toMatchObject({kind: 'none'});
    expect(projectAt(make('home', '.config'))).toMatchObject({kind: 'none'});
    expect(projectAt(make('home', '.config', 'nvim'))).toMatchObject({kind: 'project'});
  });

  test.for(['/', '/usr', '/etc', '/etc/ssl', '/tmp', '/proc/self', '/run', '/dev'])('%s is none', (cwd, {expect}) => {
    expect(projectAt(cwd)).toMatchObject({kind: 'none'});
  });

  test('a linked working tree brings the repository that it belongs to', ({expect}) => {
    const main = make('home', 'main');
    git(main, 'init');
    git(main, 'commit', '--allow-empty', '-m', 'x');
    git(main, 'worktree', 'add', at('home', 'linked'));
    expect(projectAt(at('home', 'linked'))).toEqual({
      kind: 'project',
      path: at('home', 'linked'),
      gitDirectories: [join(main, '.git')],
    });
  });

  test('a submodule brings its own part of the repository around it', ({expect}) => {
    const [part, main] = [make('home', 'part'), make('home', 'main')];
    for (const directory of [part, main]) {
      git(directory, 'init');
      git(directory, 'commit', '--allow-empty', '-m', 'x');
    }
    git(main, 'submodule', 'add', part, 'part');
    expect(projectAt(join(main, 'part'))).toMatchObject({
      path: join(main, 'part'),
      gitDirectories: [join(main, '.git', 'modules', 'part')],
    });
  });

  test('a .git file that names somebody else’s directory shares nothing of it', ({expect}) => {
    const main = make('home', 'main');
    git(main, 'init');
    const trap = make('home', 'trap');
    writeFileSync(join(trap, '.git'), `gitdir: ${join(main, '.git')}\n`);
    expect(projectAt(trap)).toEqual({kind: 'project', path: trap, gitDirectories: []});
  });
});
