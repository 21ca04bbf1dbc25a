import type {Json, PlanEdit} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/process/src/index.js';
import {makeLaunch} from '../agent-vm/launch.js';

const plan = (
  answers: Readonly<Record<string, Json>>,
  env: Record<string, string> = {},
): readonly PlanEdit[] | undefined => plugin.runtimes[0]?.plan(makeLaunch({verb: 'run', argv: ['make'], env}), answers);

const set = (name: string, value: string): PlanEdit => ({kind: 'set-env', name, value});

describe('the process runtime', () => {
  test('changes nothing by itself', ({expect}) => {
    expect(plan({})).toEqual([]);
    expect(plugin.runtimes[0]?.verbs).toEqual(['run']);
  });

  test('hands a provided identity to git, for author and committer', ({expect}) => {
    expect(plan({'git-identity': {name: 'Ann', email: 'a@b', login: 'ann'}})).toEqual([
      set('GIT_AUTHOR_NAME', 'Ann'),
      set('GIT_AUTHOR_EMAIL', 'a@b'),
      set('GIT_COMMITTER_NAME', 'Ann'),
      set('GIT_COMMITTER_EMAIL', 'a@b'),
    ]);
  });

  test('leaves alone what the caller has set, to nothing as well', ({expect}) => {
    const env = {GIT_AUTHOR_NAME: 'Bot', GIT_COMMITTER_EMAIL: ''};
    expect(plan({'git-identity': {name: 'Ann', email: 'a@b'}}, env)).toEqual([
      set('GIT_AUTHOR_EMAIL', 'a@b'),
      set('GIT_COMMITTER_NAME', 'Ann'),
    ]);
  });

  test('hands provided repositories on as one list', ({expect}) => {
    expect(plan({'github-repos': ['a/b', 'c/d']})).toEqual([set('BOOTCUT_GITHUB_REPOS', 'a/b,c/d')]);
    expect(plan({'github-repos': ['a/b']}, {BOOTCUT_GITHUB_REPOS: 'x/y'})).toEqual([]);
    expect(plan({'github-repos': []})).toEqual([]);
  });

  test('takes nothing that is not what it should be', ({expect}) => {
    expect(plan({'git-identity': {name: 'A\nB', email: ''}, 'github-repos': 'a/b'})).toEqual([]);
    expect(plan({'git-identity': null, 'github-repos': [1, null]})).toEqual([]);
  });
});
