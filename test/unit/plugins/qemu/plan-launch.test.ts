import {mkdirSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Json, Launch, PlanEdit} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {noFlags} from '../../../../plugins/qemu/src/flags.js';
import {findParts, type Parts} from '../../../../plugins/qemu/src/parts.js';
import {chooseAccelerator, planGuest, planLaunch} from '../../../../plugins/qemu/src/plan-launch.js';
import {templateDirectory} from '../../../../plugins/qemu/src/template.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {makeLaunch} from '../agent-vm/launch.js';

let root = '';
beforeEach(async () => {
  root = await temporaryDirectory('qemu-plan');
  mkdirSync(at('home', 'project'), {recursive: true});
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

const at = (...names: readonly string[]): string => join(root, ...names);

const launchOf = (argv: readonly string[] = ['shell', 'true'], changes: Partial<Launch> = {}): Launch => ({
  ...makeLaunch({argv}),
  runtime: 'qemu',
  cwd: at('home', 'project'),
  env: {HOME: at('home'), PATH: '/usr/bin:/bin'},
  ...changes,
});

const parts = (): Parts => ({
  program: '/opt/bootcut-vm',
  qemu: '/usr/bin/qemu-system-x86_64',
  etc: at('etc'),
  machine: {kernel: '/k/vmlinux', initrd: '/k/initrd', tscKhz: 2_000_000, sandbox: true},
});

const argsOf = (edits: readonly PlanEdit[]): readonly string[] =>
  edits.flatMap((edit) => (edit.kind === 'prefix-args' ? edit.args : []));

const refusalOf = (edits: readonly PlanEdit[]): Extract<PlanEdit, {kind: 'refuse'}> | undefined =>
  edits.find((edit) => edit.kind === 'refuse');

const planned = (
  changes: Partial<Launch> = {},
  flags: Partial<typeof noFlags> = {},
  answers: Readonly<Record<string, Json>> = {},
): readonly PlanEdit[] =>
  planGuest(launchOf(['shell', 'true'], changes), answers, {...noFlags, emulate: true, ...flags}, parts());

/** The values of an option that may stand several times before QEMU's. */
const valuesOf = (args: readonly string[], name: string): readonly string[] =>
  args.slice(0, args.indexOf('--qemu')).flatMap((item, index) => (args[index - 1] === name ? [item] : []));

/** A prepared guest in the data directory. */
const makeGuest = (): void => {
  const data = at('home', '.local', 'share', 'bootcut', 'qemu');
  mkdirSync(join(data, 'guests', 'g1'), {recursive: true});
  mkdirSync(join(data, 'kernels', 'k1'), {recursive: true});
  writeFileSync(join(data, 'kernels', 'k1', 'vmlinux'), '');
  writeFileSync(join(data, 'guests', 'g1', 'initrd'), '');
  const noted = {edition: 1, kernel: 'k1', kind: 'small', release: '6.1', agent: 'a'};
  writeFileSync(join(data, 'guests', 'g1', 'guest.json'), JSON.stringify(noted));
  symlinkSync(join('guests', 'g1'), join(data, 'current'));
};

describe('the plan of a guest', () => {
  test('names another template where something has changed that a template has a copy of', ({expect}) => {
    const machine = {...parts().machine, memory: 1024, cpus: 1, accelerator: 'tcg', net: 'none', shares: []} as const;
    const file = {tag: 'usr', path: 'bin/sh', identity: '1:2:3'};
    const kept = {user: '1:1:ann:/home/ann', etc: '/cache/etc/a', hot: [file]};
    const named = (changes: Partial<typeof kept>): string =>
      templateDirectory(launchOf(), '/usr/bin/qemu-system-x86_64', machine, {...kept, ...changes});
    const names = [
      named({}),
      named({user: '1:1:bob:/home/bob'}),
      named({etc: '/cache/etc/b'}),
      named({hot: [{...file, identity: '1:2:4'}]}),
      named({hot: []}),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(named({})).toBe(names[0]);
  });

  test('has the template made with copies of what launches read, and no launch carries that list', ({expect}) => {
    const edits = planned();
    const keep = edits.flatMap((edit) => (edit.kind === 'standby' ? edit.command : []));
    expect(valuesOf(keep, '--copied')).toEqual(['etc']);
    expect(valuesOf(keep, '--hot')).toContain('usr=bin/sh');
    expect(argsOf(edits)).not.toContain('--hot');
  });

  test('starts our host program with the machine, and leaves the caller’s own list as it is behind --', ({expect}) => {
    const edits = planned({}, {skip: 3});
    const args = argsOf(edits);
    expect(edits).toContainEqual({kind: 'executable', path: '/opt/bootcut-vm'});
    expect(args.slice(0, 2)).toEqual(['bootcut-vm', 'run']);
    expect(valuesOf([...args, '--qemu'], '--skip')).toEqual(['3']);
    expect(args[args.indexOf('--qemu') + 1]).toBe('/usr/bin/qemu-system-x86_64');
    expect(args.slice(-2)).toEqual(['--end-qemu', '--']);
    expect(args).toContain('-M');
  });

  test('shares the host’s programs read-only and the project read-write, and nothing else', ({expect}) => {
    const shares = valuesOf(argsOf(planned()), '--share');
    expect(shares).toContain('usr=/usr,ro');
    expect(shares).toContain('etc=/etc,ro');
    expect(shares).toContain(`dir0=${at('home', 'project')},rw`);
    expect(shares.filter((share) => share.endsWith(',rw'))).toHaveLength(1);
    expect(shares.some((share) => /=\/(?:home|root|opt|var|run|tmp),/.test(share))).toBe(false);
  });

  test('what is mounted inside of something comes after it', ({expect}) => {
    const inner = at('home', 'project', 'node_modules');
    mkdirSync(inner);
    const shares = valuesOf(argsOf(planned({}, {mounts: [{host: inner, guest: inner, access: 'ro'}]})), '--share');
    expect(shares.at(-1)).toBe(`dir1=${inner},ro`);
  });

  test('starts in the caller’s directory, as the caller, with an own name', ({expect}) => {
    const args = argsOf(planned());
    expect(valuesOf(args, '--cwd')).toEqual([at('home', 'project')]);
    expect(valuesOf(args, '--user')[0]).toMatch(
      new RegExp(`^${process.getuid?.()}:${process.getgid?.()}:[\\w.-]+:${at('home')}$`),
    );
    expect(valuesOf(args, '--hostname')).toEqual(['bootcut-project']);
  });

  test('hands on how terminal and language look, what was asked for, and nothing else', ({expect}) => {
    const env = {
      HOME: at('home'),
      PATH: '/usr/bin:/bin',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      GH_TOKEN: 't',
      SSH_AUTH_SOCK: '/s',
    };
    const args = argsOf(planned({env}, {env: ['CI=1', 'TERM=dumb', 'API_URL']}));
    const items = valuesOf(args, '--env');
    expect(items.filter((item) => !item.startsWith('PATH='))).toEqual(['LANG', 'CI=1', 'TERM=dumb', 'API_URL']);
    expect(args.join(' ')).not.toMatch(/GH_TOKEN|SSH_AUTH_SOCK/);
  });

  test('PATH is cut to what the guest sees and always has the system’s own directories', ({expect}) => {
    const tools = at('home', 'project', 'bin');
    const env = {HOME: at('home'), PATH: `${at('home', '.nvm')}:${tools}:/opt/x:bin:/usr/bin`};
    expect(valuesOf(argsOf(planned({env})), '--env')).toEqual([
      `PATH=${tools}:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin`,
    ]);
  });

  test('git’s identity is the answer’s, unless the caller has set it', ({expect}) => {
    const answers = {'git-identity': {name: 'Ann', email: 'a@b'}};
    const edits = planned({env: {HOME: at('home'), GIT_AUTHOR_NAME: 'Me'}}, {}, answers);
    expect(edits).toContainEqual({kind: 'set-env', name: 'GIT_COMMITTER_NAME', value: 'Ann'});
    expect(edits).not.toContainEqual(expect.objectContaining({name: 'GIT_AUTHOR_NAME'}));
    expect(valuesOf(argsOf(edits), '--env')).toEqual(
      expect.arrayContaining(['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL']),
    );
  });

  test('the network is brought up only when there is one', ({expect}) => {
    expect(argsOf(planned())).not.toContain('--net');
    const args = argsOf(planned({}, {net: 'user'}));
    expect(args.slice(0, args.indexOf('--qemu'))).toContain('--net');
    expect(args).toContain('user,id=net');
  });

  test('a VM that others may attach to has a directory of its project for it, and no other VM has one', ({expect}) => {
    const env = {HOME: at('home'), XDG_RUNTIME_DIR: at('run')};
    expect(argsOf(planned({env}))).not.toContain('--attachable');
    const [directory = ''] = valuesOf(argsOf(planned({env}, {attach: true})), '--attachable');
    expect(directory).toMatch(new RegExp(`^${at('run')}/bootcut/vm/[0-9a-f]{16}$`));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(valuesOf(argsOf(planned({env, cwd: root}, {attach: true})), '--attachable')).not.toEqual([directory]);
    expect(valuesOf(argsOf(planned({env, settings: {attach: true}})), '--attachable')).toEqual([directory]);
    expect(argsOf(planned({env}, {attach: true}))).not.toContain('--template');
    expect(planned({env}, {attach: true}).map(({kind}) => kind)).not.toContain('standby');
  });

  test('a home directory is not shared, and the next step is named', ({expect}) => {
    expect(refusalOf(planned({cwd: at('home')}))).toEqual({
      kind: 'refuse',
      status: 125,
      text: `bootcut: ${at('home')} is your home directory, and is not shared with a VM\nGo to a project's directory, or name what the VM may see: --mount DIR`,
    });
  });

  test('with a mount named, a launch from the home directory starts in the guest’s own, empty one', ({expect}) => {
    const mounts = [{host: at('home', 'project'), guest: '/data', access: 'ro'}] as const;
    const args = argsOf(planned({cwd: at('home')}, {mounts}));
    expect(valuesOf(args, '--share')).toContain('dir0=/data,ro');
    expect(valuesOf(args, '--cwd')).toEqual([at('home')]);
    expect(args.join(' ')).not.toContain(`path=${at('home')},`);
  });

  test('more directories than a VM has devices for are refused, with the number of them', ({expect}) => {
    const mounts = Array.from({length: 30}, (_, index) => {
      mkdirSync(at(`m${index}`));
      return {host: at(`m${index}`), guest: at(`m${index}`), access: 'ro'} as const;
    });
    const shown = (count: number, net: 'none' | 'user' = 'none'): number =>
      valuesOf(argsOf(planned({}, {mounts: mounts.slice(0, count), net})), '--share').length;
    const most = Array.from({length: 31}, (_, count) => count).findLast((count) => shown(count) > 0) ?? 0;
    expect(shown(most)).toBe(23); // the 24th is for the channels
    expect(shown(most, 'user')).toBe(0);
    expect(refusalOf(planned({}, {mounts: mounts.slice(0, most + 2)}))).toEqual({
      kind: 'refuse',
      status: 2,
      text: `bootcut: --mount: 2 of ${most + 2} directories are more than a VM has devices for; share a directory that several of them are in`,
    });
  });

  test('a mount of what is no directory is refused', ({expect}) => {
    const mounts = [{host: at('absent'), guest: '/data', access: 'ro'}] as const;
    expect(refusalOf(planned({}, {mounts}))?.text).toContain(`${at('absent')} is not a directory`);
  });
});

describe('the accelerator', () => {
  const without = {usable: false, why: 'this machine has no /dev/kvm', advice: 'Do this.'} as const;

  test('is KVM where it works, also when emulation is allowed', ({expect}) => {
    expect(chooseAccelerator({usable: true}, true)).toEqual({kind: 'kvm', notices: []});
  });

  test('is emulation, said so, only where that is allowed', ({expect}) => {
    expect(chooseAccelerator(without, true)).toEqual({
      kind: 'tcg',
      notices: ['this machine has no /dev/kvm; the VM is emulated, which is several times slower'],
    });
    expect(chooseAccelerator(without, false)).toEqual({
      kind: 'none',
      text: expect.stringMatching(
        /^this machine has no \/dev\/kvm, and emulation is not allowed\nDo this\.\n.*--emulate/,
      ),
    });
  });
});

describe('what is missing', () => {
  const missing = (answers: Readonly<Record<string, Json>> = {}, changes: Partial<Launch> = {}): unknown =>
    findParts(launchOf(['shell', 'true'], changes), answers, '/opt/bootcut-vm');

  test('QEMU is named with the command that installs it', ({expect}) => {
    expect(missing({}, {settings: {path: '/nowhere/qemu'}})).toBe(
      'QEMU is not installed; run: sudo apt-get install qemu-system-x86',
    );
  });

  test('a QEMU without the machine type is named with its version', ({expect}) => {
    const answers = {'qemu/emulator': {version: '4.1', microvm: false, sandbox: true}};
    expect(missing(answers, {settings: {path: '/bin/true'}})).toMatch(/QEMU 4\.1\) has no machine type microvm/);
  });

  test('a guest that has not been prepared is named with the command that does it', ({expect}) => {
    expect(missing({}, {settings: {path: '/bin/true'}})).toBe(
      'there is no guest to boot yet; run: bootcut setup --runtime qemu',
    );
  });

  test('with everything there the parts are what setup has made', ({expect}) => {
    makeGuest();
    const answers = {'qemu/etc': '/cache/etc', 'qemu/counter': 2_000_000};
    expect(missing(answers, {settings: {path: '/bin/true'}})).toMatchObject({
      qemu: '/bin/true',
      etc: '/cache/etc',
      machine: {tscKhz: 2_000_000, kernel: expect.stringMatching(/k1\/vmlinux$/), sandbox: false},
    });
  });
});

describe('verbs', () => {
  test('setup is our own program, run by Node', ({expect}) => {
    const edits = planLaunch(launchOf(['setup', '--kernel', 'small']), {});
    expect(argsOf(edits)).toEqual(['node', expect.stringMatching(/setup-main\.js$/)]);
  });

  test('a verb of another runtime, and a flag that makes no sense, are usage errors', ({expect}) => {
    expect(refusalOf(planLaunch(launchOf(['claude']), {}))).toMatchObject({status: 2});
    expect(refusalOf(planLaunch(launchOf(['shell', '--memory', 'x']), {}))).toMatchObject({status: 2});
  });
});
