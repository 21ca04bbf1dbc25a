import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020} from 'ajv/dist/2020.js';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {BenchReport} from '../../../src/bench/report.js';
import type {BenchResult} from '../../../src/bench/result.js';
import {LaunchRig} from '../../rig/launch-rig.js';

let rig: LaunchRig;
beforeEach(async () => {
  rig = await LaunchRig.create();
});
afterEach(() => rig[Symbol.asyncDispose]());

const parsed = (text: string): BenchReport => JSON.parse(text) as BenchReport;
const kept = (): readonly BenchResult[] =>
  readdirSync(join(rig.state, 'bench')).map(
    (name) => JSON.parse(readFileSync(join(rig.state, 'bench', name), 'utf8')) as BenchResult,
  );
const noise = /NaN|Infinity|undefined/;

describe('bench', () => {
  it('A1, A3: runs each variant in each round, in a shuffled order that its seed gives again, warm-ups apart', async () => {
    const args = ['bench', '-n', '6', '--seed', '42', '--json', 'A', '--', 'true', '--vs', 'B', '--', 'sh', '-c', ':'];
    const {stdout, status, stderr} = await rig.run(args);
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    const {result} = parsed(stdout);
    expect(result.order).toHaveLength(6);
    for (const round of result.order) expect([...round].sort()).toEqual(['A', 'B']);
    expect(new Set(result.order.map((round) => round[0]))).toEqual(new Set(['A', 'B']));
    expect(result.runs.filter(({round}) => round === 0)).toHaveLength(2);
    expect(result.runs.filter(({round}) => round > 0).map(({variant}) => variant)).toEqual(result.order.flat());
    expect(parsed((await rig.run(args)).stdout).result.order).toEqual(result.order);
  });

  it('A6: starts each variant with its own command, environment and directory, and no shell in between', async () => {
    const script = await rig.script('say', '#!/bin/sh\nprintf \'%s|%s|%s|%s\' "$PWD" "$X" "${Y-none}" "$*" >"$OUT"\n');
    const [one, other] = [join(rig.root, 'one'), join(rig.root, 'other')];
    const words = [script, 'a b', '$X', '--vs-not', '*'];
    const args = [
      'bench',
      '-n',
      '1',
      '--warmup',
      '0',
      'A',
      '-e',
      'X=1',
      '-e',
      'Y=2',
      '-e',
      `OUT=${one}`,
      '--',
      ...words,
    ];
    await rig.run([...args, '--vs', 'B', '-e', 'X=3', '-e', 'Y', '-e', `OUT=${other}`, '--cwd', '/']);
    expect(readFileSync(one, 'utf8')).toBe(`${rig.dir}|1|2|a b $X --vs-not *`);
    expect(readFileSync(other, 'utf8')).toBe('/|3|none|a b $X --vs-not *');
  });

  it('B2, A12: keeps failed runs out of the figures, shows them, and ends with 1 unless they are allowed', async () => {
    const counter = join(rig.root, 'count');
    const flaky = [
      'sh',
      '-c',
      `n=$(cat ${counter} 2>/dev/null || echo 0); echo $((n + 1)) >${counter}; [ $((n % 3)) -ne 2 ] || { echo broken >&2; exit 1; }`,
    ];
    const {stdout, status, stderr} = await rig.run([
      'bench',
      '-n',
      '6',
      '--warmup',
      '0',
      'flaky',
      '--',
      ...flaky,
      '--vs',
      'killed',
      '--',
      'sh',
      '-c',
      'kill -9 $$',
    ]);
    expect(status).toBe(1);
    expect(stderr).toContain('8 of 12 runs failed');
    expect(stdout).toContain('flaky, round 3: failed: it ended with status 1');
    expect(stdout).toContain('killed, round 1: failed: it was ended by SIGKILL');
    expect(stdout).toMatch(/\| exit, the endpoint \| flaky +\| +4 \|/);
    expect(stdout).toContain('    broken');
    expect(stdout).not.toMatch(noise);
    const allowed = await rig.run(['bench', '-n', '1', '--allow-failures', '--json', '--', 'false']);
    expect(allowed.status).toBe(0);
    expect(allowed.stdout).not.toMatch(noise);
  });

  it.for([
    [['-n', '0', '--', 'true'], 'must be whole, and 1 or more'],
    [['A', '--', 'true', '--vs', 'A'], "Two variants are named 'A'"],
    [['', '--', 'true'], 'empty name'],
    [['A'], 'There is no variant'],
    [['A', '--vs', 'B', '--', 'true'], "'A' has no command"],
    [['--until', 'nonsense', '--', 'true'], 'no readiness condition'],
    [['--base', 'C', '--', 'true'], "The base 'C' is none of the variants"],
    [['--prepare', '[rm', '--', 'true'], '--prepare: [rm is no JSON list of texts. Write words'],
    [['A', '--', 'true', '--vs', 'B', '--cleanup', ' '], '--cleanup: it lacks a command. Write words'],
    [['-e', '=x', '--', 'true'], "--env: '=x' names no variable"],
    [['-n', '99999999999', '--', 'true'], 'The number of rounds must be 10000 or less'],
    [['--limit', '0', '--', 'true'], '--limit must be between 1 ms and 24 days'],
    [['--limit', '60d', '--', 'true'], '--limit must be between 1 ms and 24 days'],
    [['--', ''], "'A' has no command"],
    [['-u', 'port:1', '-u', 'port:1', '--', 'true'], "Two conditions are named 'port:1'"],
    [['-u', 'x=port:1', '--mark', 'x=port:2', '--', 'true'], "Two conditions are named 'x'"],
    [['-u', 'ready=port:1', '-u', 'port:2', '--', 'true'], "'ready' is the moment from which all conditions are"],
    [['-u', 'exit=port:1', '--', 'true'], "'exit' is the target's end"],
    [['--with', 'nosuch', '--', 'true'], "--with: there is no plugin or step 'nosuch'; there are: process, agent-vm,"],
    [['--with', 'git-identity/nosuch', '--', 'true'], "there is no plugin or step 'git-identity/nosuch'"],
    [['A', '--', 'true', '--vs', 'B', '--without', 'nosuch'], "--without: there is no plugin or step 'nosuch'"],
    [['--verb', 'fly', '--', 'true'], "--verb: there is no launch verb 'fly'; there are: run, shell,"],
    [['--runtime', 'nosuch', '--', 'true'], "--runtime: there is no runtime 'nosuch'; there are: process, agent-vm"],
    [['A', '--', 'true', '--vs', 'B', '-n', '5'], '-n is for the whole bench: put it before the first --vs'],
    [['A', '--', 'true', '--vs', 'B', '--until=port:1'], '--until is for the whole bench'],
    [['--timelines', '/proc/none/below', '--', 'true'], '--timelines: /proc/none/below cannot be written to'],
    [['--timelines', 'comand.json', '--', 'true'], '--timelines: comand.json cannot be written to'],
    [['--file', 'comand.json'], 'variants.0.comand: there is no such field; there are name, command, env,'],
    [['--file', 'round.json'], 'round.json: round: there is no such field; there are title, variants, base, rounds'],
  ] as const)('B2: refuses %j before anything runs: %s', async ([args, text]) => {
    writeFileSync(join(rig.dir, 'comand.json'), '{"variants": [{"comand": ["true"]}]}');
    writeFileSync(join(rig.dir, 'round.json'), '{"variants": [{"command": ["true"]}], "round": 3}');
    const {status, stdout, stderr} = await rig.run(['bench', ...args]);
    expect({status, stdout}).toEqual({status: 2, stdout: ''});
    expect(stderr.replace(/\s+(?:›\s+)?/g, ' ')).toContain(text);
  });

  it('B2: says how many rounds a verdict needs, and where they are none too few, gives it', async () => {
    const args = ['quick', '--warmup', '0', '--seed', '3', '--', 'true', '--vs', 'slow', '--', 'sleep', '0.2'];
    const few = await rig.run(['bench', '-n', '3', ...args]);
    expect(few.stdout).toContain('slow against quick at exit: not enough data (3 rounds with both, 8 needed)');
    const enough = parsed((await rig.run(['bench', '-n', '8', '--json', ...args])).stdout);
    expect(enough.rows[0]?.cells[1]?.comparison).toMatchObject({verdict: 'slower', needed: null});
  });

  it('says what is missing, the program or its directory, and ends at once then', async () => {
    const run = async (...words: readonly string[]): Promise<string> =>
      (await rig.run(['bench', '-n', '1', '--warmup', '0', ...words])).stdout;
    expect(await run('--', 'no-such-program')).toContain('no-such-program cannot be started: command not found');
    expect(await run('--cwd', '/no/such', '--', 'true')).toContain('true cannot be started: /no/such is no directory');
    expect(await run('--prepare', 'no-such-program', '--', 'true')).toContain(
      'prepare: no-such-program cannot be started: command not found',
    );
    expect(await run('--cleanup', 'no-such-program', '--', 'true')).toContain(
      'cleanup: no-such-program cannot be started: command not found',
    );
  });

  it('keeps what is whole when Ctrl-C ends it, and ends the target', async () => {
    const child = rig.start(['bench', '-n', '50', '--warmup', '0', 'slow', '--', 'sleep', '0.2']);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    for (let runs = 0; runs < 2; ) {
      await new Promise((resolve) => setTimeout(resolve, 50)); // its file is replaced; nothing tells us when
      try {
        runs = kept()[0]?.runs.length ?? 0;
      } catch {
        // not made yet
      }
    }
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(status).toBe(130);
    expect(kept()[0]).toMatchObject({state: 'interrupted', rounds: 50});
    expect(output).toMatch(/of 50 rounds \(interrupted\)/);
  });

  it('keeps benches in files that nobody else can read, without what looks like a secret', async () => {
    await rig.run([
      'bench',
      '-n',
      '1',
      'A',
      '-e',
      'API_TOKEN=hunter2hunter2',
      '--',
      'true',
      '--token',
      'hunter3hunter3',
    ]);
    const [file = ''] = readdirSync(join(rig.state, 'bench'));
    const path = join(rig.state, 'bench', file);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter[23]/);
  });

  it('A9: lists what was tried, and what was dropped and why', async () => {
    await rig.run(['bench', '-n', '2', '--title', 'preconnect', 'A', '--', 'true', '--vs', 'B']);
    const [{id} = {id: ''}] = kept();
    expect((await rig.run(['bench', 'drop', 'preconnect', '4201 against 4212 ms'])).status).toBe(0);
    const {stdout} = await rig.run(['bench', 'list']);
    expect(stdout).toContain(id);
    expect(stdout).toContain('B: not enough data');
    expect(stdout).toContain('dropped: 4201 against 4212 ms');
    const shown = await rig.run(['bench', 'show', id.slice(-6)]);
    expect(shown.stdout).toContain('tried and dropped: 4201 against 4212 ms');
  });

  it('A10: compares benches of one host without a verdict, and refuses those of two', async () => {
    for (const title of ['before', 'after']) await rig.run(['bench', '-n', '2', '--title', title, '--', 'true']);
    const same = await rig.run(['bench', 'compare', 'before', 'after']);
    expect(same.stdout).toContain('no verdict, as the two did not alternate');
    const [path = ''] = readdirSync(join(rig.state, 'bench')).map((name) => join(rig.state, 'bench', name));
    const moved = JSON.parse(readFileSync(path, 'utf8')) as BenchResult;
    writeFileSync(path, JSON.stringify({...moved, host: {...moved.host, id: 'another', cpu: 'another cpu'}}));
    const other = await rig.run(['bench', 'compare', 'before', 'after']);
    expect(other.status).toBe(1);
    expect(other.stderr.replace(/\s+(?:›\s+)?/g, ' ')).toContain('ran on different hosts (cpu');
  });

  it('C6, C8: runs under a registered text, refuses it once it is edited, and calls wrong predictions wrong', async () => {
    const file = join(rig.dir, 'startup.md');
    const text = `# Startup\n\n\`\`\`json\n${JSON.stringify({
      predictions: [
        {of: 'exit', from: 40, to: 20_000, culprit: 'the sleep'},
        {of: 'exit', from: 0.001, to: 0.002, culprit: 'nobody'},
      ],
      bench: {rounds: 2, warmups: 0, variants: [{name: 'A', command: ['sleep', '0.05']}]},
    })}\n\`\`\`\n`;
    writeFileSync(file, text);
    expect((await rig.run(['bench', '--under', file])).stderr).toContain('is not registered');
    expect((await rig.run(['bench', 'register', file])).status).toBe(0);
    const under = await rig.run(['bench', '--under', file, '--json']);
    expect(parsed(under.stdout).predictions.map(({outcome}) => outcome)).toEqual(['right', 'wrong']);
    expect(parsed(under.stdout).result.registered?.hash).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(file, text.replace('20000', '30000'));
    const edited = await rig.run(['bench', '--under', file]);
    expect(edited.status).toBe(1);
    expect(edited.stderr.replace(/\s+(?:›\s+)?/g, ' ')).toContain('is not the text that was registered');
    expect(edited.stderr).toContain('30000');
  });

  it('W5, C7: --json is one whole document on stdout, however long, and chatter goes elsewhere', async () => {
    const marks =
      'i=0; while [ $i -lt 400 ]; do echo "milestone with a long name number $i"; i=$((i + 1)); done >>"$BOOTCUT_TIMELINE"';
    const {stdout, status, stderr} = await rig.shell(
      `bootcut bench -n 8 --json A -- sh -c '${marks}' --vs B | (sleep 1; cat)`,
    );
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
    expect(stdout.length).toBeGreaterThan(300_000);
    expect(parsed(stdout).rows.length).toBeGreaterThan(400);
    const closed = await rig.shell('bootcut bench show | head -1; echo "${PIPESTATUS[0]}"');
    expect(closed.stderr).toBe('');
  });

  it('takes --json wherever our flags may stand, and leaves what stands after -- to the command', async () => {
    const line = ['bench', '-n', '1', '--warmup', '0', 'A', '--', 'echo', '--json', '--vs', 'B'];
    for (const words of [
      [...line, '--json'],
      [...line, '--json', '--', 'true'],
      ['bench', '--json', ...line.slice(1)],
    ])
      expect(parsed((await rig.run(words)).stdout).result.variants[0]?.command).toEqual(['echo', '--json']);
    const {stdout} = await rig.run([...line, '--json', '--nonsense']);
    expect(JSON.parse(stdout)).toMatchObject({error: {message: expect.stringContaining('--nonsense') as string}});
    expect((await rig.run(line)).stdout).toMatch(/^A against B/);
  });

  it('answers --json, and keeps, what the published schema describes', async () => {
    const ajv = new Ajv2020({strict: true, allowUnionTypes: true}).addSchema(
      JSON.parse(readFileSync(new URL('../../../schemas/bench.schema.json', import.meta.url), 'utf8')) as object,
    );
    const check = (kind: string, value: unknown): void => {
      const validate = ajv.getSchema(`bench.schema.json#/$defs/${kind}`);
      expect([validate?.(value), validate?.errors]).toEqual([true, null]);
    };
    const args = ['-n', '2', 'A', '--runtime', 'process', '--', 'true', '--vs', 'B', '--without', 'git-identity'];
    check('report', JSON.parse((await rig.run(['bench', '--json', '--threads', ...args])).stdout));
    check('report', JSON.parse((await rig.run(['bench', 'show', '--json'])).stdout));
    for (const result of kept()) check('result', result);
  });

  it('A1: writes timelines as TSV, in the order of time', async () => {
    const script = 'echo one >>"$BOOTCUT_TIMELINE"; sleep 0.02; echo two >>"$BOOTCUT_TIMELINE"';
    await rig.run(['bench', '-n', '1', '--timelines', 'tsv', 'A', '--', 'sh', '-c', script]);
    const lines = readFileSync(join(rig.dir, 'tsv', '001-A.tsv'), 'utf8')
      .trim()
      .split('\n');
    expect(lines[0]).toBe('ms\tname\tsource\tslack_ms\tdata');
    expect(lines.slice(1).map((line) => line.split('\t')[1])).toEqual(['one', 'two', 'exit']);
    const times = lines.slice(1).map((line) => Number(line.split('\t')[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('brings each variant into its temperature, with its preparation and clean-up, outside of the time', async () => {
    const log = join(rig.root, 'log');
    const note = (text: string): string => JSON.stringify(['sh', '-c', `echo ${text} >>${log}`]);
    const args = ['bench', '-n', '1', '--warmup', '0', '--temperature', 'cache-cold', '--temperature', 'daemon-cold'];
    const {status, stdout} = await rig.run([
      ...args,
      'A',
      '--prepare',
      note('before'),
      '--cleanup',
      note('after'),
      '--',
      'sh',
      '-c',
      `echo run >>${log}`,
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain('daemon-cold, cache-cold');
    expect(readFileSync(log, 'utf8')).toBe('before\nrun\nafter\n');
  });

  it('launches a variant through bootcut where it names plugins, with and without', async () => {
    const {status, stdout} = await rig.run([
      'bench',
      '-n',
      '1',
      '--json',
      'with',
      '--with',
      'git-identity',
      '--',
      'true',
      '--vs',
      'without',
      '--without',
      'git-identity',
    ]);
    expect(status).toBe(0);
    expect(parsed(stdout).result.variants.map(({through}) => [through?.verb, through?.without])).toEqual([
      ['run', []],
      ['run', ['git-identity']],
    ]);
    expect((await rig.records()).length).toBeGreaterThanOrEqual(4);
  });
});
