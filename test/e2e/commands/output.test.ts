import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {settings} from '../../../src/config/settings.js';
import {LaunchRig, quoted} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';

interface Manifest {
  readonly commands: Readonly<
    Record<
      string,
      {
        readonly summary?: string;
        readonly description?: string;
        readonly examples?: readonly unknown[];
        readonly enableJsonFlag?: boolean;
        readonly flags: Readonly<Record<string, {readonly description?: string}>>;
        readonly args: Readonly<Record<string, {readonly description?: string}>>;
      }
    >
  >;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

const launchVerbs = [
  'run',
  'shell',
  'claude',
  'codex',
  'opencode',
  'copilot',
  'agent-vm',
  'setup',
  'pull',
  'clipboard',
];

/** Command lines to which `--json` is added. */
const jsonLines = [
  'daemon status',
  'daemon stop',
  'daemon logs',
  'daemon logs --follow',
  'cache list',
  'cache show nothing',
  'cache clear nothing',
  'cache refresh chatty',
  'cache list',
  'steps',
  'steps shell',
  'steps nonsense',
  'steps --no-such-flag',
  'config list',
  'config get budget',
  'config get nothing',
  'config set budget 2s',
  'config unset budget',
  'config path',
  'doctor',
  'version',
  'plugins create git-identity',
  'profile',
  'profile --format html',
  'profile diff warm cold',
  'profile history',
  'profile blame --last 3',
  'profile what-if nothing=0',
  'bench list',
  'bench show',
  'bench -n 1 --warmup 0 noisy -- sh -c echo',
  'bench -n 1 --warmup 0 --threads --until log:x failing -- false',
  'bench -n 1 --warmup 0 through --runtime process -- true',
  'bench --temperature lukewarm -- true',
  'bench',
  'bench list',
  'bench show',
  'bench show nothing',
  'bench compare noisy failing',
  'bench compare nothing noisy',
  'bench register /no/such/file',
  'bench drop noisy because',
  'bench drop nothing because',
  'connect http://127.0.0.1:9/',
  'connect nonsense',
  'savings',
  'savings reset nothing',
  'savings switch nothing on',
  'savings switch nothing sideways',
  'standby list',
  'standby start',
  'standby start --runtime nothing',
  'standby drop',
  'standby hook bash',
  'standby hook nothing',
  'daemon start',
  'daemon status',
  'savings',
  'standby list',
  'daemon restart',
  'daemon stop',
];

const manifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, 'oclif.manifest.json'), 'utf8')) as Manifest;

describe('C7: --json', () => {
  let rig: LaunchRig;
  beforeAll(async () => {
    rig = await LaunchRig.create({env: {DEBUG: '*'}});
    await mkdir(join(rig.home, '.config', 'bootcut'), {recursive: true});
    await writeFile(join(rig.home, '.config', 'bootcut', 'config.json'), '{"budget": ');
    await linkPlugin(
      rig,
      'chatty',
      `console.log('{"chatter": true}'); process.stdout.write('loud');\n${lookupPlugin('chatty', `async () => 'said'`)}`,
    );
  });
  afterAll(async () => await rig[Symbol.asyncDispose]());

  it.for(jsonLines)('%s: stdout is one JSON document, whatever is broken around it', async (line, {expect}) => {
    const [words = '', command] = line.split(' -- ');
    const behind = command === undefined ? [] : ['--', ...command.split(' ')];
    const {stdout} = await rig.run([...words.split(' '), '--json', ...behind]);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  });

  it('is tried with every command that has it', async ({expect}) => {
    const {commands} = await manifest();
    const untried = Object.entries(commands)
      .filter(([, {enableJsonFlag}]) => enableJsonFlag === true)
      .map(([id]) => id.replaceAll(':', ' '))
      .filter((id) => !jsonLines.some((line) => line === id || line.startsWith(`${id} `)));
    expect(untried).toEqual([]);
  });

  it('the bytes of a launch are the target’s, and the cache answers it all the same', async ({expect}) => {
    const {stdout} = await rig.run(['run', '--', 'sh', '-c', 'printf "{%s}" "$CHATTY"']);
    expect(stdout).toBe('{said}');
  });

  it('a failure in words is on stderr alone, and says the same reason', async ({expect}) => {
    const words = await rig.run(['config', 'get', 'nothing'], {env: {DEBUG: undefined}});
    expect(words.stdout).toBe('');
    expect(words.stderr).toContain('unknown-setting');
    expect(words.stderr).not.toMatch(/\n\s+at /);
  });
});

describe('a directory for our state that cannot be used', () => {
  it.for(['profile', 'profile history', 'cache list', 'savings', 'bench list', 'standby list', 'daemon status'])(
    '%s says once that it looked elsewhere, on stderr',
    async (line, {expect}) => {
      await using rig = await LaunchRig.create();
      await rig.run(['run', '--no-daemon', '--', 'true']);
      const env = {XDG_STATE_HOME: 'not/absolute'};
      const {stdout, stderr} = await rig.run([...line.split(' '), '--json'], {env});
      expect(stderr).toBe(
        'bootcut: XDG_STATE_HOME (not/absolute/bootcut) is passed over: it is not an absolute path\n',
      );
      expect(JSON.parse(stdout)).toBeTypeOf('object');
    },
  );
});

describe('help', () => {
  it('has a summary, a description and an example for every command, and a description for every flag and argument', async ({
    expect,
  }) => {
    const {commands} = await manifest();
    const ids = Object.keys(commands);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...launchVerbs,
        'daemon:start',
        'cache:list',
        'config:set',
        'doctor',
        'steps',
        'version',
        'profile',
      ]),
    );
    for (const [id, command] of Object.entries(commands)) {
      const lacking = [
        ...(['summary', 'description', 'examples'] as const).filter((name) => (command[name]?.length ?? 0) === 0),
        ...Object.entries({...command.flags, ...command.args}).flatMap(([name, {description}]) =>
          description === undefined ? [name] : [],
        ),
        ...(command.enableJsonFlag === true || launchVerbs.includes(id) ? [] : ['--json']),
      ];
      expect({id, lacking}).toEqual({id, lacking: []});
    }
  });

  it.for(launchVerbs.filter((verb) => !['agent-vm', 'setup', 'pull', 'clipboard'].includes(verb)))(
    'of %s tells our flags, examples and exit statuses, without a daemon',
    async (verb, {expect}) => {
      await using rig = await LaunchRig.create();
      const {status, stdout, stderr} = await rig.run([verb, '--help']);
      expect({status, stderr}).toEqual({status: 0, stderr: ''});
      const text = stdout.replace(/\s+/g, ' ');
      for (const setting of settings) if ('flag' in setting) expect(stdout).toContain(`--${setting.flag}`);
      for (const part of ['125', '126', '127', '128 + n', 'EXAMPLES']) expect(stdout).toContain(part);
      if (verb !== 'run') expect(text).toContain('agent-vm shell --help');
      expect(await rig.daemons()).toEqual([]);
    },
  );

  it('of the verbs that hand everything on is had by the help command', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {status, stdout} = await rig.run(['help', 'agent-vm']);
    expect(status).toBe(0);
    expect(stdout).toContain("agent-vm's own command line");
  });

  it('lists everything there is', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const {status, stdout} = await rig.run([]);
    expect(status).toBe(0);
    for (const word of [
      ...launchVerbs,
      'cache',
      'config',
      'daemon',
      'plugins',
      'doctor',
      'steps',
      'profile',
      'autocomplete',
      'version',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${word} `, 'm'));
  });
});

describe('words that are no command', () => {
  it.for([['flie'], ['daemon', 'fly'], ['cache', 'lits']])(
    '%j: exit status 127 and nothing on stdout',
    async (words, {expect}) => {
      await using rig = await LaunchRig.create();
      const {status, stdout, stderr} = await rig.run(words);
      expect({status, stdout}).toEqual({status: 127, stdout: ''});
      expect(stderr).toContain('is not a bootcut command');
    },
  );
});

describe('autocomplete', () => {
  it('makes a script with which bash completes our commands and flags', async ({expect}) => {
    await using rig = await LaunchRig.create();
    const made = await rig.run(['autocomplete', 'bash']);
    expect(made.status).toBe(0);
    const setup = await rig.run(['autocomplete', 'script', 'bash']);
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const line = [
        setup.stdout,
        `COMP_WORDS=(bootcut ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}; COMP_LINE="\${COMP_WORDS[*]}"`,
        `_bootcut_autocomplete; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ].join('\n');
      return (await rig.shell(line)).stdout.split('\n').map((word) => word.trim());
    };
    expect(await complete('')).toEqual(expect.arrayContaining(['run', 'shell', 'daemon', 'cache', 'steps', 'doctor']));
    expect(await complete('daemon', '')).toEqual(
      expect.arrayContaining(['start', 'stop', 'status', 'restart', 'logs']),
    );
    expect(await complete('run', '--')).toEqual(expect.arrayContaining(['--budget', '--without', '--no-daemon']));
  });
});
