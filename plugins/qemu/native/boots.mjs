/*
 * Boots a guest cold, many times, and says how many hung or failed: `node boots.mjs [COUNT] [KERNEL]`. The requirement is
 * 200 without one. Every boot has 30 s; a quiet machine takes 1.5 s for Debian's kernel under emulation.
 */
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {buildAll} from './build.mjs';
import {guestOptions, makeGuest} from './guest.mjs';

const own = fileURLToPath(new URL('.', import.meta.url));
const count = Number(process.argv[2] ?? 200);
const directory = mkdtempSync(join(tmpdir(), 'bootcut-boots-'));
const project = join(directory, 'project');

buildAll();
mkdirSync(project);
copyFileSync(join(own, 'bootcut-vm'), join(directory, 'bootcut-vm')); // a build meanwhile changes nothing here
makeGuest(directory, join(own, 'bootcut-agent'), process.argv[3]);
const options = ['run', '--boot-limit', '30000', ...guestOptions({directory, project})];

const times = [];
let failed = 0;
for (let index = 0; index < count; index += 1) {
  const began = process.hrtime.bigint();
  const {status, stdout, stderr} = spawnSync(
    join(directory, 'bootcut-vm'),
    [...options, '--', 'echo', `boot ${index}`],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  times.push(Number(process.hrtime.bigint() - began) / 1e6);
  if (status === 0 && stdout === `boot ${index}\n`) continue;
  failed += 1;
  console.log(`boot ${index}: status ${status}, ${JSON.stringify(stdout)}\n${stderr}`);
}
rmSync(directory, {recursive: true, force: true});
const sorted = times.sort((one, other) => one - other);
const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
console.log(
  `${count} boots, ${failed} failed; command to end: median ${at(0.5)} ms, 90 % ${at(0.9)} ms, longest ${at(1)} ms`,
);
process.exitCode = failed === 0 ? 0 : 1;
