import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, it} from 'vitest';
import {bootcut, LaunchRig} from '../../rig/launch-rig.js';
import {linkPlugin, lookupPlugin} from '../../rig/linked-plugin.js';
import {Terminal} from '../../rig/terminal.js';

interface Answers {
  readonly answers: readonly {
    readonly step: string;
    readonly key: string;
    readonly state: string;
    readonly value: unknown;
  }[];
}

/** A home with a plugin whose answer is what the file `source` holds; an empty one is a failure. */
const rigWithPlugin = async (): Promise<{readonly rig: LaunchRig; readonly say: (text: string) => Promise<void>}> => {
  const rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
  const source = join(rig.root, 'source');
  await linkPlugin(
    rig,
    'teller',
    lookupPlugin(
      'teller',
      `async () => { const text = readFileSync(${JSON.stringify(source)}, 'utf8'); if (text === '') throw new Error('nothing to tell'); return text; }`,
    ),
  );
  const say = async (text: string): Promise<void> => await writeFile(source, text);
  await say('first');
  return {rig, say};
};

const list = async (rig: LaunchRig): Promise<Answers['answers']> =>
  (JSON.parse((await rig.run(['cache', 'list', '--json'])).stdout) as Answers).answers;

describe('the cache commands', () => {
  it('list and show what a launch stored, by step, plugin and key', async ({expect}) => {
    const {rig} = await rigWithPlugin();
    await using _ = rig;
    expect((await rig.run(['cache', 'list'])).stdout).toBe('No answer is stored.\n');
    await rig.run(['run', '--', 'true']);
    const answers = await list(rig);
    expect(answers).toMatchObject([
      {step: 'teller/answer', state: 'fresh', value: 'first', private: true, sizeBytes: 7},
    ]);
    const digest = answers[0]?.key.split('#')[1]?.slice(0, 8) ?? '';
    expect((await rig.run(['cache', 'list'])).stdout).toContain(digest);
    for (const name of ['teller', 'teller/answer', digest, answers[0]?.key ?? '']) {
      const shown = await rig.run(['cache', 'show', name, '--json']);
      expect((JSON.parse(shown.stdout) as Answers).answers).toMatchObject([{value: 'first'}]);
    }
    const unknown = await rig.run(['cache', 'show', 'tell']);
    expect(unknown).toMatchObject({status: 1, stdout: ''});
    expect(unknown.stderr).toContain('teller/answer');
  });

  it('show nothing that a terminal would act upon, and the very text as JSON', async ({expect}) => {
    const {rig, say} = await rigWithPlugin();
    await using _ = rig;
    const hostile = 'a\u001b]0;title\u0007\u202e\u009b31m\nb';
    await say(hostile);
    await rig.run(['run', '--', 'true']);
    const text = (await rig.run(['cache', 'show', 'teller'])).stdout;
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(
      (JSON.parse((await rig.run(['cache', 'show', 'teller', '--json'])).stdout) as Answers).answers[0]?.value,
    ).toBe(hostile);
  });

  it('refresh asks again although the answer is fresh, and although it failed a moment ago', async ({expect}) => {
    const {rig, say} = await rigWithPlugin();
    await using _ = rig;
    await rig.run(['run', '--', 'true']);
    await say('second');
    expect(await rig.run(['cache', 'refresh', 'teller'])).toMatchObject({status: 0, stderr: ''});
    expect(await list(rig)).toMatchObject([{value: 'second'}]);

    await say('');
    const failed = await rig.run(['cache', 'refresh', 'teller/answer', '--json']);
    expect(failed.status).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      refreshed: [{step: 'teller/answer', ok: false, reason: 'threw', detail: 'nothing to tell'}],
    });
    expect(await list(rig)).toMatchObject([{value: 'second'}]);

    await say('third');
    expect(await rig.run(['cache', 'refresh', 'teller'])).toMatchObject({status: 0, stderr: ''});
    expect(await list(rig)).toMatchObject([{value: 'third'}]);
  });

  it('refresh names the steps there are when it does not know one', async ({expect}) => {
    const {rig} = await rigWithPlugin();
    await using _ = rig;
    const {status, stderr} = await rig.run(['cache', 'refresh', 'nobody']);
    expect(status).toBe(1);
    expect(stderr).toContain('teller/answer');
    expect(stderr).toContain('git-identity/git');
  });

  it('refresh asks for each directory by itself', async ({expect}) => {
    const {rig} = await rigWithPlugin();
    await using _ = rig;
    await rig.run(['cache', 'refresh', 'teller']);
    await rig.run(['cache', 'refresh', 'teller'], {cwd: rig.home});
    expect(await list(rig)).toHaveLength(2);
  });

  it('refresh tells a person at a terminal what it waits for, once that takes long', async ({expect}) => {
    await using rig = await LaunchRig.create({env: {BOOTCUT_NO_DAEMON: '1'}});
    const gate = join(rig.root, 'gate');
    await rig.shell(`mkfifo '${gate}'`);
    const wait = `async (launch, {signal}) => (await run(launch, ['cat', ${JSON.stringify(gate)}], {signal})).stdout`;
    const plugin = lookupPlugin('slow', wait).replace('{definePlugin, lookup, ms}', '{definePlugin, lookup, ms, run}');
    await linkPlugin(rig, 'slow', plugin.replace('limit: ms(3000)', 'limit: ms(30_000)'));
    using terminal = new Terminal([bootcut, 'cache', 'refresh', 'slow'], {cwd: rig.dir, env: rig.environment()});
    await terminal.shows(/Asking …/);
    await writeFile(gate, 'at last');
    await terminal.shows(/slow\/answer: asked again in/);
    expect(await terminal.ended()).toEqual({code: 0, signal: 0});
    expect(await list(rig)).toMatchObject([{value: 'at last'}]);
  });

  it('clear forgets one plugin’s answers or all, and says how many', async ({expect}) => {
    const {rig} = await rigWithPlugin();
    await using _ = rig;
    await rig.run(['run', '--with', 'git-identity/git', '--', 'true']);
    expect((await list(rig)).map(({step}) => step).sort()).toEqual(['git-identity/git', 'teller/answer']);
    expect(await rig.run(['cache', 'clear', 'tel'])).toMatchObject({status: 1, stdout: ''});
    expect((await rig.run(['cache', 'clear', 'teller'])).stdout).toBe('Cleared 1 answer.\n');
    expect((await list(rig)).map(({step}) => step)).toEqual(['git-identity/git']);
    await rig.run(['run', '--', 'true']);
    expect(JSON.parse((await rig.run(['cache', 'clear', '--json'])).stdout)).toEqual({cleared: 2});
    expect(await list(rig)).toEqual([]);
  });

  it('never start the daemon, and see what the daemon stores', async ({expect}) => {
    await using rig = await LaunchRig.create();
    await linkPlugin(rig, 'teller', lookupPlugin('teller', `async () => 'told'`));
    for (const args of [['list'], ['clear'], ['refresh', 'teller'], ['show', 'teller']])
      await rig.run(['cache', ...args]);
    expect(await rig.daemons()).toEqual([]);
    await rig.run(['cache', 'clear']);
    await rig.startDaemon();
    await rig.run(['run', '--', 'true']);
    expect((await rig.lastRecord()).via).toBe('daemon');
    expect(await list(rig)).toMatchObject([{value: 'told'}]);
  });

  it('pass over files that are none of ours', async ({expect}) => {
    const {rig} = await rigWithPlugin();
    await using _ = rig;
    await rig.run(['run', '--', 'true']);
    const directory = join(rig.home, '.cache', 'bootcut', 'answers');
    for (const [name, text] of [
      ['a.json', ''],
      ['b.json', '[]'],
      ['c.json', '{"key":"x","text":"{}"}'],
      ['d.json', '\0\0\0'],
    ] as const)
      await writeFile(join(directory, name), text);
    expect(await list(rig)).toHaveLength(1);
    expect(await readFile(join(directory, 'b.json'), 'utf8')).toBe('[]');
  });
});
