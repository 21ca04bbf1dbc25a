import {spawnSync} from 'node:child_process';
import {afterAll, beforeAll, describe, it} from 'vitest';
import type {Json} from '../../../src/model/json.js';
import {type RuntimeUnderTest, rulesFor} from '../../../src/testing.js';
import {bootcut, LaunchRig} from '../../rig/launch-rig.js';
import {canBootGuests, emulated, giveGuest} from '../../rig/qemu-guest.js';
import {createAgentVmRig} from '../agent-vm/agent-vm-rig.js';

interface Subject {
  readonly name: string;
  readonly cannot: RuntimeUnderTest['cannot'];
  readonly create: () => Promise<{readonly runtime: Omit<RuntimeUnderTest, 'cannot'>; readonly rig: AsyncDisposable}>;
}

const bwrap = [
  'bwrap',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--bind',
  '{project}',
  '{project}',
  '--chdir',
  '{cwd}',
  '--die-with-parent',
];

/** Those that this machine lets run: a container may forbid new namespaces. */
const recipes: readonly {
  readonly name: string;
  readonly probe: readonly [string, ...string[]];
  readonly recipe: Json;
  readonly cannot: RuntimeUnderTest['cannot'];
}[] = [
  {
    name: 'bwrap',
    probe: ['bwrap', '--ro-bind', '/', '/', 'true'],
    // bwrap itself ends with 1 where there is no such command; env with 127.
    recipe: {command: [...bwrap, '--', 'env', '--']},
    // It waits in front of the command, and ends by a signal instead of passing it on.
    cannot: ['signals'],
  },
  {
    name: 'unshare',
    probe: ['unshare', '--mount', '--uts', 'true'],
    recipe: {command: ['unshare', '--mount', '--uts', '--', '{command}']},
    cannot: [],
  },
].filter(({probe: [file, ...args]}) => spawnSync(file ?? '', args).status === 0) as never;

const subjects: readonly Subject[] = [
  {
    name: 'process',
    cannot: [],
    create: async () => {
      const rig = await LaunchRig.create();
      await rig.startDaemon();
      return {rig, runtime: {prefix: [bootcut, 'run', '--'], cwd: rig.dir, env: rig.environment()}};
    },
  },
  {
    name: 'agent-vm (its stand-in)',
    // By its nature: no stdin but a terminal's, the project below /workspace where that is on a tmpfs, its own statuses.
    cannot: ['stdin', 'own-directory', 'death-by-signal', 'not-executable', 'broken-pipe', 'signals'],
    create: async () => {
      const a = await createAgentVmRig({version: '0.1.28'});
      await a.rig.startDaemon();
      return {
        rig: a,
        runtime: {
          prefix: [bootcut, 'shell', '--'],
          cwd: a.rig.dir,
          env: a.rig.environment({...a.env, AGENT_VM_PROFILE: undefined}),
          ownLines: /^(?:==> |\[profile\] )/,
        },
      };
    },
  },
  {
    name: 'qemu',
    cannot: [],
    create: async () => {
      const rig = await LaunchRig.create({env: emulated});
      await giveGuest(rig);
      await rig.startDaemon();
      return {rig, runtime: {prefix: [bootcut, 'shell', '--'], cwd: rig.dir, env: rig.environment(), slow: true}};
    },
  },
  // Real launchers that know nothing of us, from the configuration alone.
  ...recipes.map(({name, recipe, cannot}) => ({
    name: `a recipe for ${name}`,
    cannot,
    create: async () => {
      const rig = await LaunchRig.create();
      await rig.run(['config', 'set', 'plugins.recipes.box', JSON.stringify(recipe)]);
      await rig.startDaemon();
      return {rig, runtime: {prefix: [bootcut, 'run', '--runtime', 'box', '--'], cwd: rig.dir, env: rig.environment()}};
    },
  })),
];

describe.each(subjects.filter(({name}) => name !== 'qemu' || canBootGuests()))(
  'the contract of runtimes, $name:',
  ({cannot = [], create}) => {
    let runtime: RuntimeUnderTest;
    let rig: AsyncDisposable;
    beforeAll(async () => {
      const made = await create();
      rig = made.rig;
      runtime = {...made.runtime, cannot};
    });
    afterAll(async () => await rig[Symbol.asyncDispose]());

    it.for(rulesFor({cannot}).map((rule) => [rule.name, rule] as const))(
      '%s',
      async ([, {check}]) => await check(runtime),
    );
  },
);
