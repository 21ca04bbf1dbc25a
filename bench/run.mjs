/* `npm run bench [NAME…]`: runs the benches of this directory one after another, without names all of them. */
import {spawnSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const known = readdirSync(here)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
// Node 20 reads this at every start, 40 ms: a cost of the machine's set-up and not of anything measured here.
const {NODE_EXTRA_CA_CERTS: _, ...env} = process.env;
for (const name of wanted.length > 0 ? wanted : known) {
  const {status} = spawnSync(process.execPath, ['--import', `${here}typescript.mjs`, `${here}${name}.ts`], {
    stdio: 'inherit',
    env,
  });
  if (status !== 0) process.exitCode = 1;
}
