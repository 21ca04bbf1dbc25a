import {readdirSync} from 'node:fs';
import type {Json, Plugin} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import {readRecipe} from '../../../../plugins/recipes/src/read-recipe.js';
import {recipeVariants, taken} from '../../../../plugins/recipes/src/variants.js';

const faults = (value: Json): readonly string[] => {
  const read = readRecipe('box', value);
  return read.ok ? [] : read.faults;
};

const milestone = {line: '==> ', name: 'up'};

describe('a recipe of the settings', () => {
  test('is read with everything it can hold', ({expect}) => {
    const read = readRecipe('box', {
      command: ['box', 'run', {when: 'tty', args: ['-t']}, '-v', '{project}:{project}', '{command}', '--end'],
      env: {BOX_HOME: '{home}/box', DEBUG: null},
      milestones: [
        {line: 'Starting', name: 'starting', phase: 'boot'},
        {has: 'ready', name: 'ready', phase: 'run'},
        {line: 'bye', has: 'now', name: 'bye', phase: 'teardown'},
      ],
      pass: ['git-identity', 'gh-token'],
      verbs: ['shell', 'codex'],
      package: '@box/cli',
    });
    expect(read).toEqual({
      ok: true,
      recipe: {
        program: 'box',
        before: [{texts: ['run']}, {texts: ['-t'], when: 'tty'}, {texts: ['-v']}, {texts: ['{project}:{project}']}],
        after: [{texts: ['--end']}],
        env: {BOX_HOME: '{home}/box', DEBUG: null},
        milestones: [
          {line: 'Starting', has: '', name: 'starting', phase: 'boot'},
          {line: '', has: 'ready', name: 'ready', phase: 'run'},
          {line: 'bye', has: 'now', name: 'bye', phase: 'teardown'},
        ],
        pass: ['git-identity', 'gh-token'],
        verbs: ['shell', 'codex'],
        package: '@box/cli',
      },
    });
  });

  test.for<readonly [string, Json, string]>([
    ['is no object', 'box run', 'plugins.recipes.box must be an object with a command: {"command": ["msb", …]}'],
    ['has no command', {}, 'plugins.recipes.box.command must be a list of 1 to 256 arguments, the launcher first'],
    [
      'has a command line for a command',
      {command: 'box run'},
      'plugins.recipes.box.command must be a list of 1 to 256 arguments, the launcher first',
    ],
    [
      'begins with the caller’s command',
      {command: ['{command}']},
      'plugins.recipes.box.command must begin with the launcher: a name on the PATH, or a path',
    ],
    [
      'names the command’s place twice',
      {command: ['box', '{command}', '{command}']},
      'plugins.recipes.box.command has {command} 2 times; the caller’s arguments have one place',
    ],
    [
      'puts the command into a text',
      {command: ['sh', '-c', 'exec {command}']},
      "plugins.recipes.box.command has {command} inside of 'exec {command}': it must be an item by itself, because arguments cannot become part of a text byte for byte",
    ],
    [
      'puts the command into an item of some launches',
      {command: ['box', {when: 'tty', args: ['{command}']}]},
      "plugins.recipes.box.command has {command} inside of '{command}': it must be an item by itself, because arguments cannot become part of a text byte for byte",
    ],
    [
      'has a placeholder that there is not',
      {command: ['box', '{cdw}']},
      "plugins.recipes.box.command has {cdw} in '{cdw}'; there are {cwd}, {project}, {home}, {uid}, {gid}; write {{cdw}} if the braces are meant",
    ],
    [
      'wants the identity where there may be none',
      {command: ['box', '--author={git-name}']},
      'plugins.recipes.box.command has {git-name} in \'--author={git-name}\', which is known only in an item {"when": "git-identity", "args": […]}',
    ],
    [
      'has an item that is a number',
      {command: ['box', 7]},
      'plugins.recipes.box.command has 7; an item is a text or {"when": "tty" or "git-identity", "args": [texts]}',
    ],
    [
      'has an unknown condition',
      {command: ['box', {when: 'night', args: []}]},
      'plugins.recipes.box.command has an item whose when is "night"; it must be tty or git-identity',
    ],
    [
      'has a zero byte',
      {command: ['box', 'a\0b']},
      'plugins.recipes.box.command has "a\\u0000b"; an item is a text or {"when": "tty" or "git-identity", "args": [texts]}',
    ],
    [
      'has a field that there is not',
      {command: ['box'], milestone: []},
      'plugins.recipes.box has no field milestone; there are: command, env, milestones, pass, verbs, package',
    ],
    [
      'names no variable',
      {command: ['box'], env: {'A B': 'x'}},
      'plugins.recipes.box.env has "A B", which cannot be the name of a variable',
    ],
    [
      'hands on what nobody has',
      {command: ['box'], pass: ['keys']},
      'plugins.recipes.box.pass must be a list of git-identity, github-repos, gh-token',
    ],
    [
      'serves a verb that starts nothing',
      {command: ['box'], verbs: ['shell', 'setup']},
      'plugins.recipes.box.verbs must be a list of shell, claude, codex, opencode, copilot',
    ],
    [
      'names no package',
      {command: ['box'], package: '--all'},
      'plugins.recipes.box.package must be the name of an npm package',
    ],
    [
      'has a milestone that fits everything',
      {command: ['box'], milestones: [{line: '', name: 'up'}]},
      'plugins.recipes.box.milestones [0] needs a line: how the launcher’s line begins, as plain text',
    ],
    [
      'has a milestone without a name',
      {command: ['box'], milestones: [milestone, {line: 'x'}]},
      'plugins.recipes.box.milestones [1] needs a name: 1 to 40 letters, digits, dots and dashes',
    ],
    [
      'has a pattern for an attack',
      {command: ['box'], milestones: [{line: 'x'.repeat(201), name: 'up'}]},
      'plugins.recipes.box.milestones [0] line and has must be texts of at most 200 bytes, without a line break',
    ],
    [
      'has its phases out of order',
      {
        command: ['box'],
        milestones: [
          {...milestone, phase: 'run'},
          {line: 'x', name: 'x', phase: 'boot'},
        ],
      },
      'plugins.recipes.box.milestones must stand in the order of a launch, with each of boot, run and teardown once at most',
    ],
    [
      'has a boot that nothing ends',
      {command: ['box'], milestones: [{...milestone, phase: 'boot'}]},
      'plugins.recipes.box.milestones say where boot begins and not where run does',
    ],
    [
      'uses a name twice',
      {command: ['box'], milestones: [milestone, milestone]},
      'plugins.recipes.box.milestones use a name twice',
    ],
  ])('says so when it %s', ([, value, fault], {expect}) => {
    expect(faults(value)).toEqual([fault]);
  });

  test('is named with every fault it has', ({expect}) => {
    expect(faults({command: ['{cdw}'], env: 7, pass: 'all'})).toHaveLength(3);
  });
});

describe('the names that runtimes have from the settings', () => {
  test('are those of the recipes, with the steps that each hands on from, of broken ones too', ({expect}) => {
    const settings: Record<string, Json> = {
      box: {command: ['box'], pass: ['git-identity']},
      plain: {command: ['plain']},
      broken: 'x',
    };
    expect(recipeVariants(settings)).toEqual([
      {name: 'box', uses: ['git-identity/github', 'git-identity/git']},
      {name: 'plain', uses: []},
      {name: 'broken', uses: []},
    ]);
  });

  test('are no names of runtimes that came with us, and no words a command line could not hold', async ({expect}) => {
    const plugins = new URL('../../../../plugins/', import.meta.url);
    const loaded = await Promise.all(
      readdirSync(plugins).map(async (name) => {
        const module = (await import(new URL(`${name}/src/index.ts`, plugins).pathname)) as {readonly default: Plugin};
        return (module.default.runtimes ?? []).filter(({variants}) => variants === undefined).map((one) => one.name);
      }),
    );
    expect(loaded.flat().sort()).toEqual([...taken].sort());
    const named = Object.fromEntries([...taken, '', '-x', 'a b', 'a.b'].map((name) => [name, {command: ['box']}]));
    expect(recipeVariants(named)).toEqual([]);
  });
});
