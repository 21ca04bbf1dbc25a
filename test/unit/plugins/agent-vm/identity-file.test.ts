import {mkdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Json, Launch} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {identityFileEdits, identityPath, readIdentityFile} from '../../../../plugins/agent-vm/src/identity-file.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from './launch.js';

const now = Date.UTC(2026, 0, 2);
const hour = 3_600_000;
const ann = {login: 'ann', id: 7, name: 'Ann Lee', email: 'ann@example.org'};

let home = '';
let launch: Launch;
let path = '';
beforeEach(async () => {
  home = await temporaryDirectory('identity');
  launch = makeLaunch({env: {HOME: home, AGENT_VM_STATE_DIR: join(home, 'state'), PATH: join(home, 'bin')}});
  path = identityPath(launch) ?? '';
});
afterEach(() => rmSync(home, {recursive: true, force: true}));

const put = (file: string, text: string, mode?: number): void => {
  mkdirSync(dirname(file), {recursive: true});
  writeFileSync(file, text, {mode});
};

const store = (text: string, age = hour): void => {
  put(path, text);
  utimesSync(path, (now - age) / 1000, (now - age) / 1000);
};

const written = (answers: Readonly<Record<string, Json>>): string | undefined => {
  const [edit] = identityFileEdits(launch, answers, now);
  return edit?.kind === 'write-file' ? edit.text : undefined;
};

describe("reading agent-vm's identity file", () => {
  test('three lines are name, e-mail and login, for 24 hours', ({expect}) => {
    store('Ann Lee\nann@example.org\nann\n', 24 * hour);
    expect(readIdentityFile(path, now)).toEqual({name: 'Ann Lee', email: 'ann@example.org', login: 'ann'});
    store('Ann Lee\nann@example.org\nann\n', 24 * hour + 1000);
    expect(readIdentityFile(path, now)).toBeUndefined();
  });

  test('the login may be empty, name and e-mail may not', ({expect}) => {
    store('Ann\na@b\n\n');
    expect(readIdentityFile(path, now)).toEqual({name: 'Ann', email: 'a@b', login: ''});
    store('\na@b\nann\n');
    expect(readIdentityFile(path, now)).toBeUndefined();
    store('Ann\n\nann\n');
    expect(readIdentityFile(path, now)).toBeUndefined();
  });

  test('a file from the future is a miss', ({expect}) => {
    store('Ann\na@b\nann\n', -1000);
    expect(readIdentityFile(path, now)).toBeUndefined();
    writeFileSync(path, 'Ann\na@b\nann\n');
    expect(readIdentityFile(path)).toBeDefined();
  });

  for (const [what, byte] of [
    ['tab', '\t'],
    ['escape', '\u001b'],
    ['carriage return', '\r'],
    ['delete', '\u007f'],
  ]) {
    test(`a ${what} in the name makes it a miss`, ({expect}) => {
      store(`An${byte}n\na@b\nann\n`);
      expect(readIdentityFile(path, now)).toBeUndefined();
    });
  }
});

describe("writing agent-vm's identity file", () => {
  test("GitHub's answer is written where there is no file, private", ({expect}) => {
    expect(identityFileEdits(launch, {'git-identity/github': ann}, now)).toEqual([
      {
        kind: 'write-file',
        path: join(home, 'state/cache/host-git-identity'),
        text: 'Ann Lee\nann@example.org\nann\n',
        mode: 0o600,
      },
    ]);
  });

  test('what is missing is made up as agent-vm does', ({expect}) => {
    expect(written({'git-identity/github': {...ann, name: null, email: null}})).toBe(
      'ann\n7+ann@users.noreply.github.com\nann\n',
    );
    expect(written({'git-identity/github': {...ann, name: ' \u00a0 ', email: ' a@b '}})).toBe('ann\na@b\nann\n');
  });

  for (const [what, bad] of [
    ['a login that GitHub does not allow', {login: '-ann'}],
    ['a newline in the name', {name: 'Ann\n[core]'}],
    ['an escape in the e-mail', {email: 'a\u001b@b'}],
    ['neither e-mail nor number', {id: null, email: null}],
  ] as const) {
    test(`an answer with ${what} is not written`, ({expect}) => {
      expect(written({'git-identity/github': {...ann, ...bad}})).toBeUndefined();
    });
  }

  test("the same identity is left alone while the file is good: its age is agent-vm's business", ({expect}) => {
    store('Ann Lee\nann@example.org\nann\n', 23 * hour);
    expect(written({'git-identity/github': ann})).toBeUndefined();
    store('Ann Lee\nann@example.org\nann\n', 25 * hour);
    expect(written({'git-identity/github': ann})).toBe('Ann Lee\nann@example.org\nann\n');
  });

  test('another account replaces the file at once', ({expect}) => {
    store('Bob\nb@example.org\nbob\n');
    expect(written({'git-identity/github': ann})).toBe('Ann Lee\nann@example.org\nann\n');
  });

  test('without a state root nothing is written', ({expect}) => {
    expect(identityFileEdits(makeLaunch(), {'git-identity/github': ann}, now)).toEqual([]);
  });

  describe("git's global identity", () => {
    const global = {'git-identity/git': {directory: null, global: {name: 'Ann', email: 'ann@home'}}};
    const configure = (): void => put(join(home, '.gitconfig'), '[user]\n\tname = Ann\n\temail = ann@home\n');

    test('stands in where gh has no account', ({expect}) => {
      configure();
      expect(written(global)).toBe('Ann\nann@home\n\n');
    });

    test('never stands in for a good GitHub identity', ({expect}) => {
      configure();
      store('Ann Lee\nann@example.org\nann\n');
      expect(written(global)).toBeUndefined();
    });

    test('replaces an older one of its own kind', ({expect}) => {
      configure();
      store('Old\nold@home\n\n');
      expect(written(global)).toBe('Ann\nann@home\n\n');
    });

    test('does not keep agent-vm from asking a gh that has an account', ({expect}) => {
      configure();
      put(join(home, 'bin/gh'), '#!/bin/sh\n', 0o755);
      expect(written(global)).toBe('Ann\nann@home\n\n');
      put(join(home, '.config/gh/hosts.yml'), 'github.com:\n    user: ann\n');
      expect(written(global)).toBeUndefined();
      launch = makeLaunch({env: {...launch.env, GH_CONFIG_DIR: '/nowhere', GH_TOKEN: 'secret'}});
      expect(written(global)).toBeUndefined();
    });

    test("counts only when it stands in the user's own file", ({expect}) => {
      expect(written(global)).toBeUndefined();
      put(join(home, '.gitconfig'), '[include]\n\tpath = elsewhere\n');
      expect(written(global)).toBeUndefined();
    });

    test('does not count where a variable of the launch chose it', ({expect}) => {
      configure();
      launch = makeLaunch({env: {...launch.env, EMAIL: 'ann@home'}});
      expect(written(global)).toBeUndefined();
    });

    test('is never taken from a directory', ({expect}) => {
      configure();
      expect(
        written({'git-identity/git': {directory: {name: 'Ann', email: 'ann@home'}, global: null}}),
      ).toBeUndefined();
    });
  });
});
