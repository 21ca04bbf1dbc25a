import {execFileSync} from 'node:child_process';
import {mkdirSync, realpathSync, symlinkSync, writeFileSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Json, Launch, PlanEdit} from 'bootcut/plugin';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {diagnose} from '../../../../plugins/recipes/src/diagnose.js';
import {planLaunch} from '../../../../plugins/recipes/src/plan-launch.js';
import {recipeUpdatables} from '../../../../plugins/recipes/src/updatables.js';
import {temporaryDirectory} from '../../../rig/temporary-directory.js';
import {type Applied, applyPlan} from '../agent-vm/apply-plan.js';
import {recipeLaunch} from './launch.js';

let directory: string;
let env: Record<string, string>;

beforeEach(async () => {
  directory = realpathSync(await temporaryDirectory('recipes'));
  env = {PATH: join(directory, 'bin'), HOME: '/home/ann'};
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin', 'box'), '', {mode: 0o755});
});
afterEach(async () => await rm(directory, {recursive: true}));

const here = (recipe: Json, changes: Partial<Launch> = {}): Launch =>
  recipeLaunch(recipe, {env, cwd: directory, ...changes});

const applied = async (launch: Launch, answers: Readonly<Record<string, Json>> = {}): Promise<Applied> =>
  await applyPlan(launch, planLaunch(launch, answers));

const refusal = (launch: Launch): PlanEdit | undefined => {
  const edits = planLaunch(launch, {});
  return edits.length === 1 ? edits[0] : undefined;
};

const ann = {'git-identity': {name: 'Ann', email: 'a@b', login: 'ann'}};

describe('the plan of a recipe', () => {
  test('is the launcher’s arguments with the caller’s behind them', async ({expect}) => {
    expect(await applied(here({command: ['box', 'run', '--']}))).toEqual({
      file: join(directory, 'bin', 'box'),
      argv: ['box', 'run', '--', 'make', 'a b'],
      env,
    });
  });

  test('has the caller’s where the recipe says', async ({expect}) => {
    const {argv} = await applied(here({command: ['box', 'a', '{command}', 'z', 'y']}));
    expect(argv).toEqual(['box', 'a', 'make', 'a b', 'z', 'y']);
  });

  test('holds the launch’s own values, and braces that are meant', async ({expect}) => {
    execFileSync('git', ['init', '-q', join(directory, 'repository')]);
    mkdirSync(join(directory, 'repository', 'deep'));
    const cwd = join(directory, 'repository', 'deep');
    const {argv} = await applied(
      here(
        {command: ['box', '{project}:{cwd}', '{home}', '{uid}:{gid}', '{{cwd}}', '{"a": 1}', '{{.Names}}', '{}']},
        {cwd},
      ),
    );
    expect(argv.slice(1, -2)).toEqual([
      `${join(directory, 'repository')}:${cwd}`,
      '/home/ann',
      `${process.getuid?.()}:${process.getgid?.()}`,
      '{cwd}',
      '{"a": 1}',
      '{{.Names}}',
      '{}',
    ]);
  });

  test('never takes for a project what has the home directory in it', async ({expect}) => {
    const home = join(directory, 'home');
    const cwd = join(home, 'work');
    execFileSync('git', ['init', '-q', home]);
    mkdirSync(cwd);
    const dotfiles = {env: {...env, HOME: home}};
    const recipe = {command: ['box', '{project}']};
    expect((await applied(here(recipe, {...dotfiles, cwd}))).argv[1]).toBe(cwd);
    for (const place of [home, '/'])
      expect(refusal(here(recipe, {...dotfiles, cwd: place}))).toMatchObject({
        text: `bootcut: the recipe box cannot be followed: there is no project here: ${place} has your home directory in it`,
      });
  });

  test('never fills what came in with a value', async ({expect}) => {
    const cwd = join(directory, '{home}$&');
    expect((await applied(here({command: ['box', '{cwd}']}, {cwd}))).argv[1]).toBe(cwd);
  });

  test('has the arguments for a terminal at a terminal only', async ({expect}) => {
    const recipe = {command: ['box', {when: 'tty', args: ['-t', '-i']}]};
    expect((await applied(here(recipe))).argv).toEqual(['box', 'make', 'a b']);
    expect((await applied(here(recipe, {stdio: ['tty', 'tty', 'pipe']}))).argv).toEqual([
      'box',
      '-t',
      '-i',
      'make',
      'a b',
    ]);
    expect((await applied(here(recipe, {stdio: ['tty', 'pipe', 'tty']}))).argv).toEqual(['box', 'make', 'a b']);
  });

  test('hands the identity on as variables, and as arguments where it is known', async ({expect}) => {
    const args = ['-e', 'GIT_AUTHOR_NAME={git-name}', '-e', 'GIT_AUTHOR_EMAIL={git-email}'];
    const recipe = {command: ['box', {when: 'git-identity', args}], pass: ['git-identity']};
    expect((await applied(here(recipe))).argv).toEqual(['box', 'make', 'a b']);
    const known = await applied(here(recipe), ann);
    expect(known.argv.slice(1, 5)).toEqual(['-e', 'GIT_AUTHOR_NAME=Ann', '-e', 'GIT_AUTHOR_EMAIL=a@b']);
    expect(known.env).toMatchObject({GIT_AUTHOR_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'a@b'});
    const own = await applied(here(recipe, {env: {...env, GIT_AUTHOR_NAME: 'Bot'}}), ann);
    expect(own.argv[2]).toBe('GIT_AUTHOR_NAME=Bot');
    expect(own.env['GIT_AUTHOR_NAME']).toBe('Bot');
  });

  test('sets and takes away variables, those of the recipe before all others', ({expect}) => {
    const recipe = {command: ['box'], env: {BOX: '{home}/x', DEBUG: null, GIT_AUTHOR_NAME: 'Box'}};
    expect(planLaunch(here(recipe), ann).slice(-3)).toEqual([
      {kind: 'set-env', name: 'BOX', value: '/home/ann/x'},
      {kind: 'unset-env', name: 'DEBUG'},
      {kind: 'set-env', name: 'GIT_AUTHOR_NAME', value: 'Box'},
    ]);
  });

  test('serves the verbs it names: words of shell are the command, an agent is the program', async ({expect}) => {
    const recipe = {command: ['box', 'a', '{command}', 'z'], verbs: ['shell', 'claude']};
    const argvOf = async (...argv: readonly string[]): Promise<string> =>
      (await applied(here(recipe, {verb: argv[0] ?? '', argv, env: {...env, SHELL: '/bin/fish'}}))).argv.join(' ');
    expect(await argvOf('shell', '--', 'make', '--', '-k')).toBe('box a make -- -k z');
    expect(await argvOf('shell', 'make', '--', '-k')).toBe('box a make -- -k z');
    expect(await argvOf('shell', '--', '-odd')).toBe('box a -odd z');
    for (const bare of [['shell'], ['shell', '--']]) expect(await argvOf(...bare)).toBe('box a /bin/fish z');
    expect(await argvOf('claude', '--', '--resume')).toBe('box a claude --resume z');
    expect(await argvOf('claude', 'mcp', '--', 'x')).toBe('box a claude mcp -- x z');
    expect(await argvOf('claude')).toBe('box a claude z');
    expect((await applied(here(recipe, {verb: 'shell', argv: ['shell']}))).argv).toEqual(['box', 'a', '/bin/sh', 'z']);
  });

  test('observes only what its milestones begin with', ({expect}) => {
    const milestones = [
      {line: '==> ', has: 'a', name: 'a'},
      {line: '==> ', has: 'b', name: 'b'},
    ];
    expect(planLaunch(here({command: ['box'], milestones}), {})).toContainEqual({
      kind: 'observe-stderr',
      prefixes: ['==> '],
    });
    expect(planLaunch(here({command: ['box']}), {}).map(({kind}) => kind)).not.toContain('observe-stderr');
  });
});

describe('a recipe that cannot be followed ends the launch, and the host is not used instead:', () => {
  test('its faults', ({expect}) => {
    expect(refusal(here({command: ['box', '{x}'], pass: 1}))).toEqual({
      kind: 'refuse',
      status: 125,
      text: `bootcut: the setting plugins.recipes.box.command has {x} in '{x}'; there are {cwd}, {project}, {home}, {uid}, {gid}; write {{x}} if the braces are meant
bootcut: the setting plugins.recipes.box.pass must be a list of git-identity, github-repos, gh-token`,
    });
  });

  test('a launcher that is not there', ({expect}) => {
    const text = 'bootcut: the recipe box starts nothere, which is not on the PATH of this launch';
    expect(refusal(here({command: ['nothere']}))).toEqual({kind: 'refuse', status: 127, text});
  });

  test('a launcher that is bootcut', ({expect}) => {
    writeFileSync(join(directory, 'bootcut'), '', {mode: 0o755});
    symlinkSync(join(directory, 'bootcut'), join(directory, 'bin', 'loop'));
    expect(refusal(here({command: ['loop', 'run', '--']}))).toMatchObject({
      text: 'bootcut: the recipe box starts loop, which is bootcut itself',
    });
  });

  test('a place that is not known', ({expect}) => {
    const launch = here({command: ['box', '{home}']}, {env: {PATH: env['PATH'] ?? ''}});
    expect(refusal(launch)).toMatchObject({
      status: 125,
      text: 'bootcut: the recipe box cannot be followed: HOME is not known',
    });
    expect(refusal(here({command: ['box', '{cwd}']}, {cwd: '/tmp/\ufffd'}))).toMatchObject({
      text: 'bootcut: the recipe box cannot be followed: the working directory has a name that is not UTF-8',
    });
  });

  test('a verb whose word the launcher would get', ({expect}) => {
    expect(refusal(here({command: ['box']}, {verb: 'shell', argv: ['shell', 'true']}))).toEqual({
      kind: 'refuse',
      status: 2,
      text: 'bootcut shell: box is a recipe, which runs commands: bootcut run --runtime box -- CMD',
    });
    const recipe = {command: ['box'], verbs: ['shell']};
    expect(refusal(here(recipe, {verb: 'codex', argv: ['codex']}))).toMatchObject({
      status: 2,
      text: 'bootcut codex: box is a recipe, which runs commands: bootcut run --runtime box -- CMD; its verbs: run, shell',
    });
    expect(refusal(here(recipe, {verb: 'shell', argv: ['shell', '--memory', '2G', '--', 'true']}))).toMatchObject({
      status: 2,
      text: 'bootcut shell: there is no flag --memory; put -- before what begins with a dash',
    });
  });
});

describe('what is known of a launcher', () => {
  const install = (name: string): void => {
    mkdirSync(join(directory, 'package', 'bin'), {recursive: true});
    writeFileSync(join(directory, 'package', 'bin', 'cli.js'), '', {mode: 0o755});
    writeFileSync(join(directory, 'package', 'package.json'), JSON.stringify({name, version: '1.2.3'}));
    symlinkSync(join(directory, 'package', 'bin', 'cli.js'), join(directory, 'bin', 'cli'));
  };

  test('is the version of its npm package, for update-check to look after', ({expect}) => {
    install('@box/cli');
    expect(recipeUpdatables(here({command: ['cli'], package: '@box/cli'}))).toEqual([
      {source: 'npm', name: '@box/cli', have: ['1.2.3']},
    ]);
    // Another package's version says nothing about this one.
    expect(recipeUpdatables(here({command: ['cli'], package: 'other'}))).toEqual([]);
    expect(recipeUpdatables(here({command: ['cli']}))).toEqual([]);
  });

  test('is told by doctor, recipe by recipe', async ({expect}) => {
    install('@box/cli');
    const settings: Record<string, Json> = {
      box: {command: ['box']},
      cli: {command: ['cli'], package: '@box/cli'},
      strange: {command: ['box'], package: 'other'},
      gone: {command: ['./gone']},
      broken: {},
      process: {command: ['box']},
    };
    const findings = await diagnose(here({}, {settings}));
    expect(findings.map(({name, state, text}) => `${name} ${state}: ${text}`.replaceAll(directory, ''))).toEqual([
      'box ok: /bin/box',
      'cli ok: /bin/cli, 1.2.3',
      'strange ok: /bin/box',
      'strange warning: /bin/box does not lie in an npm package other: whether there is a newer one cannot be said',
      'gone fault: it starts ./gone, which is not an executable file',
      'broken fault: plugins.recipes.broken.command must be a list of 1 to 256 arguments, the launcher first',
      'process fault: it cannot be asked for: there is a runtime process already',
    ]);
    expect(await diagnose(here({}, {settings: {}}))).toEqual([]);
  });
});
