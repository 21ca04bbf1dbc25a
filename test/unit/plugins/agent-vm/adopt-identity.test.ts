import {mkdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Json, Launch} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test, vi} from 'vitest';
import {adoptIdentity} from '../../../../plugins/agent-vm/src/adopt-identity.js';
import {planLaunch} from '../../../../plugins/agent-vm/src/plan-launch.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from './launch.js';

const noReply = 'Ann Lee\n7+ann@users.noreply.github.com\nann\n';
const adopted = {
  'git-identity/github': {login: 'ann', id: 7, name: 'Ann Lee', email: '7+ann@users.noreply.github.com'},
};

let root = '';
let count = 0;
beforeEach(async () => {
  root = await temporaryDirectory('adopt');
  put('agent-vm', '\u007fELF', 0o755);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(root, {recursive: true, force: true});
});

function put(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(join(root, path)), {recursive: true});
  writeFileSync(join(root, path), text, {mode});
}

const forget = (): void => rmSync(join(root, 'cache'), {recursive: true});

/** Plans a launch, lets `happen` during it, and adopts at its end. */
const during = (
  happen: (launch: Launch) => void,
  {
    version = '0.1.28',
    env = {},
    answers = {},
  }: {version?: string; env?: Record<string, string>; answers?: Record<string, Json>} = {},
): Readonly<Record<string, Json>> => {
  count += 1;
  const launch = makeLaunch({
    id: `adopt-${count}`,
    env: {AGENT_VM_STATE_DIR: root, HOME: root, PATH: root, ...env},
    cwd: root,
  });
  planLaunch(launch, {'agent-vm/version': version, ...answers});
  happen(launch);
  return adoptIdentity(launch);
};

const writeIdentity =
  (text = noReply) =>
  (): void =>
    put('cache/host-git-identity', text);

describe('adopting what agent-vm asked for itself', () => {
  test('takes up an identity written during the launch', ({expect}) => {
    expect(during(writeIdentity())).toEqual(adopted);
  });

  test('leaves the account number open where the address does not hold it', ({expect}) => {
    const user = {login: 'ann', id: null, name: 'Ann', email: 'ann@example.org'};
    expect(during(writeIdentity('Ann\nann@example.org\nann\n'))).toEqual({'git-identity/github': user});
    forget();
    expect(during(writeIdentity('Ann\n7+bob@users.noreply.github.com\nann\n'))).toMatchObject({
      'git-identity/github': {id: null},
    });
  });

  test('leaves alone what was there before', ({expect}) => {
    put('cache/host-git-identity', noReply);
    expect(during(() => undefined)).toEqual({});
    const yesterday = Date.now() / 1000 - 90_000;
    utimesSync(join(root, 'cache/host-git-identity'), yesterday, yesterday);
    expect(during(() => undefined)).toEqual({});
    expect(during(writeIdentity(noReply.replace('Lee', 'Li')))).toMatchObject({
      'git-identity/github': {name: 'Ann Li'},
    });
  });

  test('leaves alone an old file that only seemed to come from the future', ({expect}) => {
    put('cache/host-git-identity', noReply);
    vi.useFakeTimers({toFake: ['Date'], now: Date.now() - 60_000});
    expect(during(() => vi.useRealTimers())).toEqual({});
  });

  test('does not take back what we wrote', ({expect}) => {
    const answers = {'git-identity/github': {login: 'ann', id: 7, name: 'Ann', email: null}};
    expect(during(writeIdentity(), {answers})).toEqual({});
  });

  test("does not take git's own identity for an account", ({expect}) => {
    expect(during(writeIdentity('Ann\nann@home\n\n'))).toEqual({});
  });

  test('refuses broken files', ({expect}) => {
    expect(during(writeIdentity('Ann\u001b[2J\na@b\nann\n'))).toEqual({});
    forget();
    expect(during(writeIdentity('Ann\na@b\nnot a login\n'))).toEqual({});
  });

  test("refuses an account that gh's own files contradict", ({expect}) => {
    put(
      '.config/gh/hosts.yml',
      'ghe.example.org:\n    user: ann\ngithub.com:\n    users:\n        ann:\n        bob:\n    user: bob\n',
    );
    expect(during(writeIdentity())).toEqual({});
    forget();
    put('.config/gh/hosts.yml', 'github.com:\n    git_protocol: https\n    user: ann\n');
    expect(during(writeIdentity(noReply.replace('Lee', 'Li')))).toMatchObject({'git-identity/github': {login: 'ann'}});
  });

  test('refuses where a variable chose the account or the host', ({expect}) => {
    expect(during(writeIdentity(), {env: {GH_TOKEN: 't'}})).toEqual({});
    forget();
    expect(during(writeIdentity(), {env: {GH_HOST: 'ghe.example.org'}})).toEqual({});
  });

  test('does nothing before v0.1.20, and for a launch that this process did not plan', ({expect}) => {
    expect(during(writeIdentity(), {version: '0.1.18'})).toEqual({});
    expect(adoptIdentity(makeLaunch({id: 'never planned', env: {AGENT_VM_STATE_DIR: root}}))).toEqual({});
  });
});
