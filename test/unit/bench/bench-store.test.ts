import {execFileSync} from 'node:child_process';
import {readFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {it} from 'vitest';
import {BenchStore} from '../../../src/bench/bench-store.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';
import {benched} from './benched.js';

it('takes a file that is no bench of ours for none, and the others go on', async ({expect}) => {
  const state = await temporaryDirectory('benches');
  const store = new BenchStore(state);
  const {result} = await benched({variants: [{name: 'A', command: ['true']}], rounds: 1});
  store.save(result);
  expect(store.newest(5)).toEqual([result]);
  const text = readFileSync(store.path(result.id), 'utf8');
  const damages: Readonly<Record<string, (path: string) => void>> = {
    empty: (path) => writeFileSync(path, ''),
    half: (path) => writeFileSync(path, text.slice(0, text.length / 2)),
    null: (path) => writeFileSync(path, 'null'),
    'texts for numbers': (path) => writeFileSync(path, text.replace(/: \d[\d.]*/g, ': "7"')),
    'a moment that is none': (path) => writeFileSync(path, text.replace(/"at": "[^"]*"/, '"at": "yesterday"')),
    'the least of one': (path) => writeFileSync(path, '{"v": 1, "runs": []}'),
    'another version': (path) => writeFileSync(path, text.replace('"v": 1', '"v": 2')),
    'a pipe': (path) => {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    },
    endless: (path) => truncateSync(path, 1024 ** 3),
  };
  const other = join(state, 'bench', '20990101-000000-000000.json');
  for (const [damage, make] of Object.entries(damages)) {
    writeFileSync(other, text);
    make(other);
    expect({damage, found: store.newest(5)}).toEqual({damage, found: [result]});
    rmSync(other);
  }
  writeFileSync(other, text.replace(/("v": 1,)/, '$1 "later": true,').replace(result.id, '20990101-000000-000000'));
  expect(store.newest(5)).toHaveLength(2);
});
