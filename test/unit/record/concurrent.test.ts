import {type ChildProcess, spawn} from 'node:child_process';
import {readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'vite';
import {afterAll, beforeAll, test} from 'vitest';
import {RecordLog} from '../../../src/record/record-log.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {makeRecord} from './sample-record.js';

const source = (path: string): string => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url));

/** Waits for a word on stdin, so that all begin together; then adds its launches. */
const writer = `
import {RecordLog} from './record-log.js';
import {newLaunchId} from './launch-id.js';
const [directory, template, writer, count] = process.argv.slice(2);
const log = new RecordLog(directory);
process.stdout.write('ready');
process.stdin.once('data', () => {
  for (let index = 0; index < Number(count); index += 1) {
    log.append({...JSON.parse(template), id: newLaunchId(Date.now()), target: writer + ':' + index});
  }
  process.stdin.destroy();
});
`;

let root: string;
beforeAll(async () => {
  root = await temporaryDirectory('writers');
  await build({
    logLevel: 'silent',
    configFile: false,
    ssr: {noExternal: true},
    build: {
      ssr: true,
      outDir: root,
      rolldownOptions: {
        input: {'record-log': source('record/record-log.ts'), 'launch-id': source('record/launch-id.ts')},
        output: {entryFileNames: '[name].js'},
      },
    },
  });
  writeFileSync(join(root, 'package.json'), '{"type": "module"}');
  writeFileSync(join(root, 'writer.js'), writer);
});
afterAll(() => rmSync(root, {recursive: true, force: true}));

test('sixteen processes that add launches at once lose and tear none, across several segments', async ({expect}) => {
  const directory = join(root, 'records');
  const template = JSON.stringify(makeRecord({cwd: `/${'long/'.repeat(300)}`}));
  const children: readonly ChildProcess[] = Array.from({length: 16}, (_, index) =>
    spawn(process.execPath, [join(root, 'writer.js'), directory, template, String(index), '200'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(children.map(({stdout}) => new Promise((resolve) => stdout?.once('data', resolve))));
  const ends = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of children) child.stdin?.end('go');
  expect(await Promise.all(ends)).toEqual(children.map(() => 0));

  const found = new RecordLog(directory).newest(10_000).map(({target}) => target);
  const wanted = children.flatMap((_, writer) => Array.from({length: 200}, (__, index) => `${writer}:${index}`));
  expect([...found].sort()).toEqual([...wanted].sort());
  const rows = new RecordLog(directory).rows({}, 10_000).map(({target}) => target);
  expect([...rows].sort()).toEqual([...wanted].sort());
  expect(readdirSync(directory).length).toBeGreaterThan(4);
  // Each writer's own launches keep their order: what it added last is found first.
  const last = found.filter((target) => target.startsWith('7:'));
  expect(last.slice(0, 3)).toEqual(['7:199', '7:198', '7:197']);
});
