import {readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {removeLeftOvers} from '../../../src/daemon/left-overs.js';
import {StandbyPool} from '../../../src/daemon/standby-pool.js';
import type {StandbySpec} from '../../../src/model/plan.js';
import {minutes, ms} from '../../../src/model/units.js';
import {type ManualClock, manualClock} from '../../rig/manual-clock.js';
import {temporaryDirectory} from '../../rig/temporary-directory.js';

/** A "VM": ready at once, leaves when its stdin ends. */
const keeper = `
import {createServer} from 'node:net';
createServer().listen(process.argv[2], () => console.log('ready\\n{"form":"paused","rss":1,"boot":1}'));
process.stdin.resume().on('end', () => process.exit());
`;

let root: string;
let clock: ManualClock;
let free: number;
let pool: StandbyPool;

beforeEach(async () => {
  root = await temporaryDirectory('pool');
  await mkdir(join(root, 'sockets'));
  await writeFile(join(root, 'keeper.mjs'), keeper);
  await writeFile(join(root, 'saving.mjs'), savingKeeper);
  clock = manualClock();
  free = 8 * 2 ** 30;
  pool = new StandbyPool({
    clock,
    log: () => undefined,
    state: root,
    socketDirectory: join(root, 'sockets'),
    configDirectory: root,
    memory: () => ({free, total: 16 * 2 ** 30}),
  });
});
afterEach(async () => await pool.close());

/** Waits paused as the other, or says that it is saved and ends; notes each start. */
const savingKeeper = `
import {appendFileSync} from 'node:fs';
appendFileSync(process.argv[4], process.argv[3] + '\\n');
if (process.argv[3] === 'saved') console.log('ready\\n{"form":"saved","rss":9,"boot":7}');
else if (process.argv[3] === 'paused') await import('./keeper.mjs');
`;

const spec = (place: string, memory = 100): StandbySpec => ({
  key: [place],
  place,
  command: [process.execPath, join(root, 'keeper.mjs'), '{socket}'],
  env: {},
  memory,
});
const places = (): readonly string[] => pool.list().map(({place}) => place);
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5)); // a process has ended
};

describe('standbys that wait', () => {
  test('go when they are too old', async ({expect}) => {
    await pool.start(spec('/one'));
    clock.pass(minutes(29));
    pool.look();
    expect(places()).toEqual(['/one']);
    clock.pass(minutes(2));
    pool.look();
    await until(() => places().length === 0);
  });

  test('go when the machine has slept, but not when somebody mends the clock a little', async ({expect}) => {
    await pool.start(spec('/one'));
    clock.setWall(ms(5000));
    pool.look();
    expect(places()).toEqual(['/one']);
    clock.setWall(ms(3_600_000));
    pool.look();
    await until(() => places().length === 0);
  });

  test('go when memory is short, and none is begun then', async ({expect}) => {
    await pool.start(spec('/one'));
    free = 2 * 2 ** 30;
    pool.look();
    await until(() => places().length === 0);
    expect(await pool.start(spec('/two'))).toEqual({ok: false, detail: 'the machine is short of memory'});
  });

  test('make room for the place used last, within the budget', async ({expect}) => {
    for (const place of ['/one', '/two', '/three']) await pool.start(spec(place, 200));
    await until(() => places().length === 2);
    expect(places()).toEqual(['/two', '/three']);
  });

  test('that are killed leave no socket behind', async ({expect}) => {
    await pool.start(spec('/one'));
    const [standby] = pool.list();
    process.kill(standby?.pid ?? 0, 'SIGKILL');
    await until(() => places().length === 0);
    expect(readdirSync(join(root, 'sockets'))).toEqual([]);
    expect(pool.take(spec('/one'), 'launch')).toBeUndefined();
  });
});

describe('standbys that can be saved', () => {
  const savable = (place: string, kind = 'a'): StandbySpec => ({
    ...spec(place),
    key: [place, kind],
    command: [process.execPath, join(root, 'saving.mjs'), '{socket}', '{form}', join(root, 'begun')],
  });
  const begun = (): string => readFileSync(join(root, 'begun'), 'utf8');
  const budget = (size: string): void =>
    writeFileSync(join(root, 'config.json'), JSON.stringify({'standby.memory': size}));

  test('wait paused where the budget has room, and are saved, once, where it has none', async ({expect}) => {
    expect(await pool.start(savable('/one'))).toEqual({ok: true, form: 'paused'});
    await pool.drop();
    budget('64M');
    for (let times = 0; times < 2; times += 1)
      expect(await pool.start(savable('/one'))).toEqual({ok: true, form: 'saved'});
    expect(begun()).toBe('paused\nsaved\n');
    await until(() => pool.list().every(({pid}) => pid === 0));
    expect(pool.list()).toMatchObject([{place: '/one', state: 'ready', form: 'saved', memoryKb: 0, bootMs: 7}]);
    expect(pool.take(savable('/one'), 'launch')).toBeUndefined();
    expect(readdirSync(join(root, 'sockets'))).toEqual([]);
  });

  test('are not on the list any more once one waits, or another kind is saved for the place', async ({expect}) => {
    budget('64M');
    await pool.start(savable('/one'));
    await pool.start(savable('/one', 'b'));
    await pool.start(savable('/two'));
    expect(places()).toEqual(['/one', '/two']);
    budget('512M');
    await pool.start(savable('/two'));
    expect(pool.list().map(({place, form}) => [place, form])).toEqual([
      ['/two', 'paused'],
      ['/one', 'saved'],
    ]);
  });

  test('that could not be saved say so, and are tried again', async ({expect}) => {
    budget('64M');
    const {command} = savable('/one');
    const broken = {
      ...savable('/one'),
      command: command.map((item) => (item.endsWith('.mjs') ? '/nowhere.mjs' : item)),
    };
    expect(await pool.start(broken)).toMatchObject({ok: false});
    expect(places()).toEqual([]);
  });
});

describe('what a daemon that was killed has left', () => {
  test('is removed by the next one; what is in use stays', ({expect}) => {
    const gone = 4_194_303; // the largest number that Linux gives to a process
    const names = [`standby-${gone}-1`, `values-${gone}-x`, `standby-${process.pid}-1`, 'other'];
    for (const name of names) writeFileSync(join(root, 'sockets', name), '');
    for (const name of ['timeline-old', 'timeline-new']) writeFileSync(join(root, name), '');
    utimesSync(join(root, 'timeline-old'), 1, 1);
    removeLeftOvers(join(root, 'sockets'), root);
    expect(readdirSync(join(root, 'sockets')).sort()).toEqual(['other', `standby-${process.pid}-1`]);
    expect(readdirSync(root).filter((name) => name.startsWith('timeline'))).toEqual(['timeline-new']);
  });
});
