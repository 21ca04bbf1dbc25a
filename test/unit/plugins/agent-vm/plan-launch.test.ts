import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Json, PlanEdit} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {planLaunch} from '../../../../plugins/agent-vm/src/plan-launch.js';
import {markerPath} from '../../../../plugins/agent-vm/src/pulled-marker.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from './launch.js';

const ann = {login: 'ann', id: 7, name: 'Ann', email: 'ann@example.org'};
const digest = `sha256:${'ab'.repeat(32)}`;
const defaultImage = 'ghcr.io/wirenboard/agent-vm-template:latest';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('plan');
  for (const name of ['agent-vm', 'gh']) writeFileSync(join(root, name), '\u007fELF', {mode: 0o755});
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

interface Given {
  readonly argv?: readonly string[];
  readonly verb?: string;
  readonly version?: string | null;
  readonly identity?: boolean;
  readonly without?: readonly string[];
  readonly env?: Record<string, string>;
}

const plan = ({argv = ['shell', 'true'], version = '0.1.28', identity = true, ...rest}: Given): readonly PlanEdit[] => {
  const env = {HOME: root, PATH: root, ...rest.env};
  const answers: Record<string, Json> = {
    ...(version === null ? {} : {'agent-vm/version': version}),
    ...(identity ? {'git-identity/github': ann} : {}),
  };
  const verb = rest.verb ?? argv[0] ?? 'agent-vm';
  return planLaunch(makeLaunch({argv, verb, env, cwd: root, without: rest.without ?? []}), answers);
};

const mark = (image = defaultImage): void => {
  const path = markerPath(join(root, '.local/state/agent-vm'), image);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, digest);
};

/** The edits in short: what goes where, and which levers are used. */
const shape = (edits: readonly PlanEdit[]): readonly string[] =>
  edits.map((edit) => {
    if (edit.kind === 'insert-args') return `insert ${edit.args.join(' ')} at ${edit.at}`;
    if (edit.kind === 'prefix-args') return `prefix ${edit.args.join(' ')}`;
    if (edit.kind === 'write-file') return `write ${edit.path.split('/').at(-1)}`;
    if (edit.kind === 'executable') return `run ${edit.path.slice(root.length + 1)}`;
    return edit.kind;
  });

const base = ['run agent-vm', 'prefix agent-vm'];
const noCheck = 'insert --no-update-check at 1';
const shim = ['write user.json', 'write gh', 'prepend-path'];
const file = ['write host-git-identity'];

describe('what each release is spared', () => {
  const levers: readonly {version: string; unmarked: readonly string[]; marked: readonly string[]}[] = [
    {version: '0.1.14', unmarked: [noCheck, 'observe-stderr', ...shim], marked: [noCheck, 'observe-stderr', ...shim]},
    {version: '0.1.17', unmarked: [noCheck, 'observe-stderr', ...shim], marked: [noCheck, 'observe-stderr', ...shim]},
    {version: '0.1.18', unmarked: ['observe-stderr', ...shim], marked: [noCheck, 'observe-stderr', ...shim]},
    {version: '0.1.20', unmarked: ['observe-stderr', ...file], marked: [noCheck, 'observe-stderr', ...file]},
    {version: '0.1.28', unmarked: ['observe-stderr', ...file], marked: [noCheck, 'observe-stderr', ...file]},
    {version: '0.1.31', unmarked: ['observe-stderr', ...file], marked: [noCheck, 'observe-stderr', ...file]},
  ];
  for (const {version, unmarked, marked} of levers) {
    test(`v${version}, without and with a pulled-digest marker`, ({expect}) => {
      expect(shape(plan({version}))).toEqual([...base, ...unmarked]);
      mark();
      expect(shape(plan({version}))).toEqual([...base, ...marked]);
    });
  }

  for (const version of [null, '0.1.13', '0.2.0', '1.0.0', '0.1.28-dev', '0.1.x', '']) {
    test(`${JSON.stringify(version)} is not known to us, and agent-vm is left alone`, ({expect}) => {
      mark();
      expect(shape(plan({version}))).toEqual([...base, 'observe-stderr']);
    });
  }

  test('a script in front of agent-vm is left alone whatever version is stored', ({expect}) => {
    mark();
    writeFileSync(join(root, 'agent-vm'), '#!/bin/sh\nexec real-agent-vm "$@"\n', {mode: 0o755});
    expect(shape(plan({}))).toEqual([...base, 'observe-stderr']);
  });

  test("without GitHub's answer the look-up stays agent-vm's", ({expect}) => {
    expect(shape(plan({version: '0.1.14', identity: false}))).toEqual([...base, noCheck, 'observe-stderr']);
    expect(shape(plan({identity: false}))).toEqual([...base, 'observe-stderr']);
  });

  test('copilot before v0.1.24 is an unknown subcommand, which agent-vm says itself', ({expect}) => {
    expect(shape(plan({argv: ['copilot'], version: '0.1.23'}))).toEqual([...base, 'observe-stderr']);
    expect(shape(plan({argv: ['copilot'], version: '0.1.24'}))).toEqual([...base, 'observe-stderr', ...file]);
  });
});

describe('--no-update-check', () => {
  const inserted = (given: Given): readonly string[] =>
    shape(plan({version: '0.1.17', ...given})).filter((line) => line.startsWith('insert'));

  test('goes directly behind the verb, even when the guest has the same flag', ({expect}) => {
    expect(inserted({argv: ['shell', 'true', '--no-update-check']})).toEqual([noCheck]);
    expect(inserted({argv: ['claude', '--', '--no-update-check']})).toEqual([noCheck]);
    expect(inserted({argv: ['shell', '-p8080:80', '--no-update-check']})).toEqual([noCheck]);
    expect(inserted({argv: ['shell', '--model', '--no-update-check'], version: '0.1.15'})).toEqual([noCheck]);
  });

  test('is not given twice, which would be a usage error', ({expect}) => {
    expect(inserted({argv: ['shell', '--no-update-check', 'x']})).toEqual([]);
    expect(inserted({argv: ['shell', '--memory', '4', '-p', '1:2', '--no-update-check', 'x']})).toEqual([]);
    expect(inserted({argv: ['shell', '--no-update-check=true']})).toEqual([]);
  });

  test('depends on what the release takes for an option', ({expect}) => {
    const argv = ['shell', '--allow-host', '--no-update-check', 'x'];
    mark();
    expect(inserted({argv, version: '0.1.17'})).toEqual([noCheck]);
    expect(inserted({argv, version: '0.1.18'})).toEqual([]);
  });

  test('needs the marker of the very image that is booted', ({expect}) => {
    mark('other:1');
    expect(inserted({version: '0.1.28'})).toEqual([]);
    expect(inserted({version: '0.1.28', argv: ['shell', '--image', 'other:1', 'x']})).toEqual([noCheck]);
    expect(inserted({version: '0.1.28', env: {AGENT_VM_IMAGE_TAG: 'other:1'}})).toEqual([noCheck]);
  });

  test('is not given with --help, which needs none', ({expect}) => {
    expect(inserted({argv: ['shell', '--help']})).toEqual([]);
  });

  test("is left out with the check of ours that stands in for agent-vm's", ({expect}) => {
    for (const name of ['update-check', 'update-check/newer', 'no-update-check', 'agent-vm/no-update-check']) {
      expect(inserted({without: [name]})).toEqual([]);
    }
    expect(inserted({without: ['git-identity']})).toEqual([noCheck]);
  });
});

describe('the command line', () => {
  test('`bootcut agent-vm shell …` is `bootcut shell …`, one place further on', ({expect}) => {
    mark();
    expect(shape(plan({verb: 'agent-vm', argv: ['agent-vm', 'shell', 'x']}))).toEqual([
      'run agent-vm',
      'insert --no-update-check at 2',
      'observe-stderr',
      ...file,
    ]);
  });

  test('everything else is passed through with nothing added', ({expect}) => {
    mark();
    expect(shape(plan({argv: ['pull', '--image', 'x']}))).toEqual(base);
    expect(shape(plan({argv: ['setup']}))).toEqual(base);
    expect(shape(plan({argv: ['clipboard', 'get']}))).toEqual(base);
    for (const rest of [['pull'], ['--version'], ['--help', 'shell'], [], ['shel']]) {
      expect(shape(plan({verb: 'agent-vm', argv: ['agent-vm', ...rest]}))).toEqual(['run agent-vm']);
    }
  });

  test("`run` with this runtime is a command for the sandbox's shell", ({expect}) => {
    mark();
    expect(shape(plan({verb: 'run', argv: ['ls', '--memory']}))).toEqual([
      'run agent-vm',
      'prefix agent-vm shell --no-update-check --',
      'observe-stderr',
      ...file,
    ]);
    expect(shape(plan({verb: 'run', argv: ['shell']}))[1]).toBe('prefix agent-vm shell --no-update-check --');
  });

  test('without agent-vm the launch is refused with 127', ({expect}) => {
    rmSync(join(root, 'agent-vm'));
    expect(plan({})).toEqual([{kind: 'refuse', status: 127, text: expect.stringContaining('agent-vm')}]);
    expect(plan({argv: ['pull']})).toMatchObject([{kind: 'refuse', status: 127}]);
  });

  test('each lever has an off switch', ({expect}) => {
    expect(shape(plan({without: ['identity-file']}))).toEqual([...base, 'observe-stderr']);
    expect(shape(plan({version: '0.1.14', without: ['agent-vm/gh-shim']}))).toEqual([
      ...base,
      noCheck,
      'observe-stderr',
    ]);
  });
});
