import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type Ability, launch, type RuntimeUnderTest} from './launching.js';

/** One rule of the contract; `check` throws an AssertionError where the runtime breaks it. */
export interface ContractRule {
  readonly name: string;
  readonly needs?: Ability;
  readonly check: (runtime: RuntimeUnderTest) => Promise<void>;
}

const sh = (script: string, ...args: readonly string[]): readonly string[] => ['sh', '-c', script, 'sh', ...args];

const signals = [
  ['TERM', 15],
  ['KILL', 9],
  ['SEGV', 11],
  ['INT', 2],
] as const;

/** Each argument in brackets, so that neither an empty one nor a blank can hide. */
const showArguments = 'for arg; do printf "<%s>" "$arg"; done';

const awkward = ['', 'a b', '$HOME', 'x;y', '*', 'n\nl', '"\'\\', '--help', '--version', '-c', '--', 'ü', ' end '];

/**
 * What whoever launches a command may rely on, whatever boots it: design promise 2, and cases W1, W3, W5 and Q2. The same
 * rules hold for a program, a container or a VM.
 */
export const runtimeContract: readonly ContractRule[] = [
  {
    name: 'the exit status is the command’s',
    check: async (runtime) => {
      for (const status of runtime.slow === true ? [200] : [0, 1, 7, 125, 200, 255])
        assert.equal((await launch(runtime, sh(`exit ${status}`))).status, status);
    },
  },
  {
    name: 'a command that is not there is 127',
    check: async (runtime) => assert.equal((await launch(runtime, ['no-such-program-xyz'])).status, 127),
  },
  {
    name: 'a file that cannot be run is 126',
    needs: 'not-executable',
    check: async (runtime) => {
      const path = join(runtime.cwd, 'not-executable.txt');
      writeFileSync(path, 'text', {mode: 0o644});
      assert.equal((await launch(runtime, [path])).status, 126);
      rmSync(path);
    },
  },
  {
    name: 'death by a signal is 128 + n, never 0',
    needs: 'death-by-signal',
    check: async (runtime) => {
      for (const [name, number] of runtime.slow === true ? signals.slice(0, 2) : signals)
        assert.equal((await launch(runtime, sh(`kill -${name} $$; sleep 5`))).status, 128 + number, name);
    },
  },
  {
    name: 'arguments arrive as they were given',
    check: async (runtime) => {
      const {stdout} = await launch(runtime, sh(showArguments, ...awkward));
      assert.equal(stdout.toString(), awkward.map((arg) => `<${arg}>`).join(''));
    },
  },
  {
    name: 'stdout and stderr are apart, and hold the command’s bytes and nothing else',
    check: async (runtime) => {
      const script = `head -c 300000 /dev/zero | tr '\\0' o; printf 'last\\377\\n'; head -c 200000 /dev/zero | tr '\\0' e >&2; printf 'end\\n' >&2`;
      const {stdout, stderr} = await launch(runtime, sh(script));
      assert.ok(stdout.equals(Buffer.concat([Buffer.alloc(300_000, 'o'), Buffer.from('last\xff\n', 'latin1')])));
      assert.equal(stderr.length, 200_004);
      assert.equal(stderr.toString('latin1', 200_000), 'end\n');
    },
  },
  {
    name: 'stdin reaches the command byte for byte',
    needs: 'stdin',
    check: async (runtime) => {
      const input = randomBytes(1_000_000);
      assert.ok((await launch(runtime, ['cat'], {input})).stdout.equals(input));
    },
  },
  {
    name: 'an empty or closed stdin does not end the run',
    check: async (runtime) => {
      for (const closedInput of [false, true]) {
        const {stdout, status} = await launch(runtime, sh('cat; sleep 0.2; echo after'), {closedInput});
        assert.deepEqual({stdout: stdout.toString(), status}, {stdout: 'after\n', status: 0});
      }
    },
  },
  {
    name: 'a reader that leaves ends the writer as a broken pipe does',
    needs: 'broken-pipe',
    check: async (runtime) => {
      const piped = {
        ...runtime,
        prefix: ['/bin/bash', '-c', '"$@" | head -1; exit "${PIPESTATUS[0]}"', 'bash', ...runtime.prefix],
      };
      const {stdout, status} = await launch(piped, ['yes']);
      assert.deepEqual({stdout: stdout.toString(), status}, {stdout: 'y\n', status: 141});
    },
  },
  {
    name: 'a signal that is sent to us reaches the command once',
    needs: 'signals',
    check: async (runtime) => {
      const script = `count=0; trap 'count=$((count + 1))' TERM; echo ready; while [ $count = 0 ]; do sleep 0.05; done; sleep 0.3; echo $count; exit 3`;
      const {stdout, status} = await launch(runtime, sh(script), {onReady: (pid) => process.kill(pid, 'SIGTERM')});
      assert.deepEqual({stdout: stdout.toString(), status}, {stdout: 'ready\n1\n', status: 3});
    },
  },
  {
    name: 'the command runs in the caller’s directory, and what it makes there is the caller’s',
    needs: 'own-directory',
    check: async (runtime) => {
      const {stdout} = await launch(runtime, sh('pwd; umask 022; echo made > made-inside'));
      const path = join(runtime.cwd, 'made-inside');
      assert.equal(stdout.toString(), `${runtime.cwd}\n`);
      assert.equal(readFileSync(path, 'utf8'), 'made\n');
      const {uid, gid, mode} = statSync(path);
      assert.deepEqual(
        {uid, gid, mode: mode & 0o777},
        {uid: process.geteuid?.(), gid: process.getegid?.(), mode: 0o644},
      );
      rmSync(path);
    },
  },
  {
    name: 'several at once do not mix',
    check: async (runtime) => {
      const results = await Promise.all(['one', 'two', 'three'].map((word) => launch(runtime, sh(`echo ${word}`))));
      assert.deepEqual(
        results.map(({stdout}) => stdout.toString()),
        ['one\n', 'two\n', 'three\n'],
      );
    },
  },
];

/** The rules that hold for this runtime. */
export const rulesFor = ({cannot = []}: Pick<RuntimeUnderTest, 'cannot'>): readonly ContractRule[] =>
  runtimeContract.filter(({needs}) => needs === undefined || !cannot.includes(needs));
