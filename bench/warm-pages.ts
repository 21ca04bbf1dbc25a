/**
 * Real programs started with an empty page cache, with their pages read ahead beside the start and without. Root only: it
 * drops the page cache of the whole machine (/proc/sys/vm/drop_caches) before every launch.
 */
import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {bootcut, LaunchRig} from '../test/rig/launch-rig.js';
import {interleave, publish, repository, rounds} from './lib/bench.js';
import {time} from './lib/spawned.js';
import {median} from './lib/statistics.js';

if (process.geteuid?.() !== 0) {
  process.stdout.write('warm-pages: not measured, only root can drop the page cache\n\n');
  process.exit(0);
}

const has = (program: string): boolean => spawnSync(program, ['--version'], {stdio: 'ignore'}).error === undefined;

/** Command lines of programs that are installed, by a name for people. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'eslint --version (node)': ['node', join(repository, 'node_modules', 'eslint', 'bin', 'eslint.js'), '--version'],
  ...(has('javac') ? {'javac Hi.java (JVM)': ['javac', '-proc:none', 'Hi.java']} : {}),
  ...(has('python3') ? {'python3 (20 modules)': ['python3', 'modules.py']} : {}),
  ...(has('qemu-system-x86_64')
    ? {'qemu --version': ['qemu-system-x86_64', '-machine', 'none', '-display', 'none', '-version']}
    : {}),
  ...(has('chromium')
    ? {'chromium --headless': ['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', 'about:blank']}
    : {}),
};

const modules =
  'argparse asyncio csv ctypes decimal difflib email.message http.client http.server json logging multiprocessing ' +
  'sqlite3 ssl subprocess tarfile unittest urllib.request xml.dom.minidom zipfile';

await using rig = await LaunchRig.create();
writeFileSync(
  join(rig.dir, 'Hi.java'),
  'class Hi { public static void main(String[] a) { System.out.println("hi"); } }\n',
);
writeFileSync(join(rig.dir, 'modules.py'), `import ${modules.replaceAll(' ', ', ')}\n`);
const where = {env: rig.environment(), cwd: rig.dir};
await rig.run(['config', 'set', 'plugins.warm-pages.memory', '512']);
await rig.startDaemon();

const dropCache = async (): Promise<void> => {
  spawnSync('sync');
  writeFileSync('/proc/sys/vm/drop_caches', '1');
  // The daemon and the front are ours and no part of what is compared: their pages come back here.
  await rig.run(['run', '--without', 'warm-pages', '--', '/bin/true']);
  await wait(50);
};

const cold = (command: readonly string[], options: readonly string[]) => async (): Promise<number> => {
  await dropCache();
  return await time([bootcut, 'run', ...options, '--', ...command], where);
};

// Each is learnt from once, cold as it will be; then it is on, whatever the ledger says.
for (const command of Object.values(programs)) {
  await dropCache();
  await rig.served(['run', '--', ...command]);
}
await rig.run(['savings']);
await rig.run(['savings', 'switch', 'warm-pages', 'on']);
await rig.run(['config', 'set', 'holdback', '0']);

const arms = Object.fromEntries(
  Object.entries(programs).flatMap(([name, command]) => [
    [`${name}: without`, cold(command, ['--without', 'warm-pages'])],
    [`${name}: read ahead`, cold(command, [])],
    [
      `${name}: warm cache`,
      async () => await time([bootcut, 'run', '--without', 'warm-pages', '--', ...command], where),
    ],
    [`${name}: warm cache, read ahead`, async () => await time([bootcut, 'run', '--', ...command], where)],
  ]),
);
const samples = await interleave(rounds(10), arms);
const of = (name: string): number => median(samples[name] ?? []);
publish({
  name: 'warm-pages',
  title: 'real programs with the page cache dropped: pages read ahead beside the start, and without',
  endpoint:
    'spawn of bootcut to the end of the program, by the parent’s clock; daemon running; cache dropped before each',
  figures: Object.keys(programs).flatMap((name) => {
    const [without, ahead] = [of(`${name}: without`), of(`${name}: read ahead`)];
    const added = of(`${name}: warm cache, read ahead`) - of(`${name}: warm cache`);
    return [
      {
        what: `${name}, cold`,
        value: `${without.toFixed(0)} → ${ahead.toFixed(0)} ms (${(without / ahead).toFixed(2)} ×)`,
      },
      {what: `${name}, warm: added by reading ahead`, value: `${added.toFixed(1)} ms`},
    ];
  }),
  samples,
});
