import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/gh-token/src/index.js';
import {startGitHub, writeGhHosts} from '../../../rig/github.js';
import {requireProgram} from '../../../rig/program.js';
import {
  linesOf,
  makeLaunch,
  makeTools,
  makeWorkplace,
  noAnswerOf,
  reasonOf,
  type Workplace,
} from '../git-identity/workplace.js';

const [step] = plugin.steps;

const launchWith = (place: Workplace, env: Record<string, string> = {}, cwd = place.root) =>
  makeLaunch({...place.env, ...env}, cwd);

const ask = (place: Workplace, env: Record<string, string> = {}, cwd = place.root) =>
  step.read(launchWith(place, env, cwd), makeTools());

/** A gh that notes how it was called and prints this token. */
const gh = (place: Workplace, token: string) =>
  place.stub('gh', `echo "$*|\${GH_TOKEN-}|\${GH_ENTERPRISE_TOKEN-}" >> ${place.root}/calls; echo '${token}'`);

const callsIn = (place: Workplace) => linesOf(join(place.root, 'calls'));

describe('the token of a launch', () => {
  test('is that of its environment, in gh’s order, without asking gh', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'stored');
    expect(await ask(place, {GH_TOKEN: 'one', GITHUB_TOKEN: 'two'})).toBe('one');
    expect(await ask(place, {GH_TOKEN: '', GITHUB_TOKEN: 'two'})).toBe('two');
    const elsewhere = {GH_HOST: 'ghe.example', GH_ENTERPRISE_TOKEN: 'three', GITHUB_ENTERPRISE_TOKEN: 'four'};
    expect(await ask(place, elsewhere)).toBe('three');
    expect(await ask(place, {...elsewhere, GH_ENTERPRISE_TOKEN: ''})).toBe('four');
    expect(callsIn(place)).toEqual([]);
  });

  test('is else asked of gh, by exactly `gh auth token`', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'stored');
    expect(await ask(place)).toBe('stored');
    expect(await ask(place, {GH_HOST: 'github.com'})).toBe('stored');
    expect(callsIn(place)).toEqual(['auth token||', 'auth token||']);
  });

  test('is asked of gh by host for another host', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'stored');
    expect(await ask(place, {GH_HOST: 'GHE.example:8443'})).toBe('stored');
    expect(callsIn(place)).toEqual(['auth token --hostname ghe.example:8443||']);
  });

  test('is never one for another host', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'stored');
    expect(await ask(place, {GH_HOST: 'ghe.example', GH_TOKEN: 'own', GITHUB_TOKEN: 'own'})).toBe('stored');
    expect(await ask(place, {GH_ENTERPRISE_TOKEN: 'company', GITHUB_ENTERPRISE_TOKEN: 'company'})).toBe('stored');
    expect(callsIn(place)).toEqual(['auth token --hostname ghe.example||', 'auth token||']);
  });

  test('is not asked for where gh knows only another host, whose token it would give', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'company');
    const configDir = join(place.home, '.config', 'gh');
    await writeGhHosts(configDir, {'ghe.example': [{login: 'ann', token: 'company'}]});
    expect(await reasonOf(Promise.resolve(ask(place)))).toBe('not-logged-in');
    expect(callsIn(place)).toEqual([]);
    await writeGhHosts(configDir, {
      'ghe.example': [{login: 'ann', token: 'company'}],
      'github.com': [{login: 'ann', token: 'own'}],
    });
    await gh(place, 'own');
    expect(await ask(place)).toBe('own');
  });

  test('is asked for by the launch of now: its PATH, its directory even when gone', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'first');
    expect(await ask(place)).toBe('first');
    await gh(place, 'second');
    const gone = await place.directory('gone');
    await rm(gone, {recursive: true});
    expect(await ask(place, {}, gone)).toBe('second');
  });

  test('comes from the real gh for the host that is meant', async ({expect}) => {
    await using place = await makeWorkplace();
    await using github = await startGitHub();
    const PATH = `${place.env['PATH']}:${join(requireProgram('gh', 'gh'), '..')}`;
    await writeGhHosts(join(place.home, '.config', 'gh'), {
      'github.com': [{login: 'ann', token: 'own'}],
      [github.host]: [{login: 'ann', token: 'company'}],
    });
    expect(await ask(place, {PATH})).toBe('own');
    expect(await ask(place, {PATH, GH_HOST: github.host})).toBe('company');
    expect(await reasonOf(Promise.resolve(ask(place, {PATH, GH_HOST: 'other.example'})))).toBe('not-logged-in');
    expect(await reasonOf(Promise.resolve(ask(place, {PATH, GH_HOST: 'other.example', GH_TOKEN: 'own'})))).toBe(
      'not-logged-in',
    );
    expect(github.requests).toEqual([]);
  });
});

describe('no token', () => {
  test.for([
    ['not-logged-in', 'echo "no oauth token" >&2; exit 1'],
    ['not-logged-in', 'exit 4'],
    ['not-logged-in', ':'],
    ['malformed', 'echo "<html>log in</html>"'],
    ['malformed', 'printf "two\\nlines\\n"'],
    ['malformed', 'printf "esc\\033[31m\\n"'],
  ] as const)('is %s after %s', async ([reason, body], {expect}) => {
    await using place = await makeWorkplace();
    await place.stub('gh', body);
    expect(await reasonOf(Promise.resolve(ask(place)))).toBe(reason);
  });

  test('is not-installed without gh', async ({expect}) => {
    await using place = await makeWorkplace();
    expect(await reasonOf(Promise.resolve(ask(place)))).toBe('not-installed');
  });

  test('shows nothing of what gh printed', async ({expect}) => {
    await using place = await makeWorkplace();
    for (const body of ['echo "SECRET1 x"', 'echo SECRET2; echo SECRET3 >&2; exit 1']) {
      await place.stub('gh', body);
      const failure = await noAnswerOf(Promise.resolve(ask(place)));
      expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`).not.toContain(
        'SECRET',
      );
    }
  });

  test('comes from a gh that hangs: it is ended at the limit', async ({expect}) => {
    await using place = await makeWorkplace();
    const limit = new AbortController();
    const line = await place.lifeline();
    await place.stub('gh', `${line.hold}\nexec /bin/sleep 1000`);
    const reading = reasonOf(Promise.resolve(step.read(launchWith(place), makeTools({signal: limit.signal}))));
    await line.held;
    limit.abort();
    expect(await reading).toBe('timed-out');
    await line.released;
    expect(step.limit).toBe(3000);
  });
});

describe('the token step', () => {
  test('is a secret, which has no key and nothing to store', ({expect}) => {
    expect(step).toMatchObject({kind: 'secret', neededBy: 'run'});
    expect(step).not.toHaveProperty('key');
    expect(step.when?.(makeLaunch({}, '/')) ?? true).toBe(true);
  });

  test('hands the token to the target under the name for its host', ({expect}) => {
    const edits = (env: Record<string, string>) => step.apply('t0ken', makeLaunch(env, '/'));
    expect(edits({})).toEqual([{kind: 'set-env', name: 'GH_TOKEN', value: 't0ken'}]);
    expect(edits({GH_HOST: 'github.com'})).toEqual([{kind: 'set-env', name: 'GH_TOKEN', value: 't0ken'}]);
    expect(edits({GH_HOST: 'ghe.example'})).toEqual([{kind: 'set-env', name: 'GH_ENTERPRISE_TOKEN', value: 't0ken'}]);
  });

  test('prints nothing', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'SECRET');
    const written: unknown[] = [];
    const streams = [process.stdout, process.stderr].map((stream) => ({stream, write: stream.write}));
    for (const {stream} of streams) stream.write = (chunk: unknown) => written.push(chunk) > 0;
    await Promise.resolve(ask(place)).finally(() => streams.forEach(({stream, write}) => (stream.write = write)));
    expect(written.join('')).not.toContain('SECRET');
  });
});
