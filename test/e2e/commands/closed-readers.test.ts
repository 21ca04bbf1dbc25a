import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {ms} from '../../../src/model/units.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {makeRecord, makeStep} from '../../unit/record/sample-record.js';

let rig: LaunchRig;
beforeAll(async () => {
  rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
  const log = new RecordLog(join(rig.state, 'records'));
  for (let count = 0; count < 400; count += 1) {
    const steps = [makeStep('a/slow', 5, 20 + (count % 7), {cost: ms(15)})];
    log.append(makeRecord({temperature: count % 2 === 0 ? 'warm' : 'cold', target: `target-${'x'.repeat(30)}`, steps}));
  }
  for (const title of ['before', 'after'])
    await rig.run(['bench', '-n', '2', '--warmup', '0', '--title', title, 'A', '--', 'true', '--vs', 'B']);
  const block = JSON.stringify({predictions: [{of: 'exit', from: 1, to: 2, culprit: 'nobody'}]});
  await writeFile(join(rig.dir, 'text.md'), `\`\`\`json\n${block}\n\`\`\`\n`);
});
afterAll(async () => await rig[Symbol.asyncDispose]());

/** Every command about launches and benches, with the exit status it has when its output is read. */
const lines = [
  ['profile', 0],
  ['profile --last 400', 0],
  ['profile --last 400 --json', 0],
  ['profile --last 400 --format json', 0],
  ['profile --last 400 --format tsv', 0],
  ['profile --last 400 --format trace', 0],
  ['profile --format html', 0],
  ['profile --format svg', 0],
  ['profile history', 0],
  ['profile history --json', 0],
  ['profile diff temperature=warm temperature=cold', 0],
  ['profile blame --last 50', 0],
  ['profile what-if a/slow=0', 0],
  ['profile nonsense', 1],
  ['bench list', 0],
  ['bench show', 0],
  ['bench show --json', 0],
  ['bench compare before after', 0],
  ['bench register text.md', 0],
  ['bench drop before "no better"', 0],
  ['bench -n 1 --warmup 0 -- true', 0],
  ['bench -n 1 --warmup 0 -- false', 1],
  ['connect http://127.0.0.1:1/', 1],
] as const;

describe('W5: a command whose reader goes away', () => {
  it.for(lines)('%s: no stack trace, and its own exit status (%s)', async ([line, status], {expect}) => {
    for (const reader of ['true', 'head -1', 'head -c 100']) {
      const {stdout, stderr} = await rig.shell(`bootcut ${line} | ${reader} >/dev/null; echo "\${PIPESTATUS[0]}"`);
      expect(stderr, reader).not.toMatch(/\n\s+at |EPIPE|node:/);
      expect(stdout, reader).toBe(`${status}\n`);
    }
  });

  it.for(lines)('%s: nothing about it where stdout is closed', async ([line, status], {expect}) => {
    const {stdout, stderr} = await rig.shell(`bootcut ${line} >&-; echo $?`);
    expect(stderr).not.toMatch(/\n\s+at |EBADF|node:/);
    expect(stdout).toBe(`${status}\n`);
  });

  it.for(lines.filter(([, status]) => status === 0))(
    '%s: one line where the output cannot be written',
    async ([line], {expect}) => {
      const {stdout, stderr} = await rig.shell(`bootcut ${line} >/dev/full; echo $?`);
      expect(stderr).toMatch(/^bootcut: the output cannot be written: ENOSPC.*\n$/);
      expect(stdout).toBe('1\n');
    },
  );
});
