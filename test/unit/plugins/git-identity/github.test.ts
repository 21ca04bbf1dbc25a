import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Launch} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import {github as step} from '../../../../plugins/git-identity/src/github.js';
import {linesOf, makeLaunch, makeTools, makeWorkplace, noAnswerOf, reasonOf, type Workplace} from './workplace.js';

const keyOf = (launch: Launch): string => JSON.stringify(step.key(launch));

const ask = (place: Workplace, env: Record<string, string> = {}, cwd = place.root) =>
  step.read(makeLaunch({...place.env, ...env}, cwd), makeTools());

/** A gh that answers every question with this text. */
const gh = (place: Workplace, stdout: string, {stderr = '', status = 0} = {}) =>
  place
    .write('gh.stdout', stdout)
    .then(() => place.write('gh.stderr', stderr))
    .then(() =>
      place.stub('gh', `/bin/cat ${place.root}/gh.stdout; /bin/cat ${place.root}/gh.stderr >&2; exit ${status}`),
    );

const user = (fields: object): string =>
  JSON.stringify({
    login: 'octo-cat',
    id: 583_231,
    name: 'Octo Cat',
    email: 'octo@example.com',
    type: 'User',
    ...fields,
  });

describe('the GitHub identity from gh', () => {
  test('is asked by exactly `gh api user`, plainly, in the launch’s directory, with nothing to read', async ({
    expect,
  }) => {
    await using place = await makeWorkplace();
    const seen = join(place.root, 'seen');
    await place.stub(
      'gh',
      `echo "$# $* $PWD \${GH_FORCE_TTY-unset} \${GH_DEBUG-unset} $GH_PROMPT_DISABLED" > ${seen}\n` +
        `read line || echo end-of-input >> ${seen}\nprintf '%s' '${user({})}'`,
    );
    const cwd = await place.directory('项目 🦊');
    await ask(place, {GH_FORCE_TTY: '80', GH_DEBUG: 'api'}, cwd);
    expect(linesOf(seen)).toEqual([`2 api user ${cwd} unset unset 1`, 'end-of-input']);
  });

  test('holds login, id, name and e-mail and nothing else of the answer', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, user({bio: 'x', plan: {name: 'pro'}}));
    const answer = {login: 'octo-cat', id: 583_231, name: 'Octo Cat', email: 'octo@example.com'};
    expect(await ask(place)).toEqual(answer);
  });

  const [first, last] = ['octo@example.com', '583231+octo-cat@users.noreply.github.com'];
  test.for([
    [{}, 'Octo Cat', first],
    [{name: null, email: null}, 'octo-cat', last],
    [{name: '', email: ''}, 'octo-cat', last],
    [{name: '  ', email: ' \n '}, 'octo-cat', last],
    [{name: ' Ann \n', email: `\t${first} `}, 'Ann', first],
    [{name: 'Ann "Q" Lee\\', email: 'a#b;c@d'}, 'Ann "Q" Lee\\', 'a#b;c@d'],
    [{name: 'x # y ; z'}, 'x # y ; z', first],
    [{name: 'right \u202eto left 🦊'}, 'right \u202eto left 🦊', first],
    [{name: 'n'.repeat(5000)}, 'n'.repeat(5000), first],
    [{name: '𝔸'.repeat(3000)}, '𝔸'.repeat(3000), first],
    [{id: '583231', email: first}, 'Octo Cat', first],
    [{name: 7, email: 7}, 'octo-cat', last],
  ] as const)('with %o', async ([fields, name, email], {expect}) => {
    await using place = await makeWorkplace();
    await gh(place, user(fields));
    const answer = await ask(place);
    expect(answer).toMatchObject({login: 'octo-cat', name, email});
    expect(step.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  });

  test.for([
    {login: undefined},
    {login: null},
    {login: ''},
    {login: '-octo'},
    {login: 'octo-'},
    {login: 'octo cat'},
    {login: 'octo\n[core]'},
    {login: 'o'.repeat(40)},
    {name: 'A\n[core]\n\tsshCommand = touch pwned'},
    {name: 'esc \u001b[31m'},
    {name: 'nul \u0000'},
    {name: 'delete \u007f'},
    {email: 'a\n@b'},
    {email: null, id: null},
    {email: null, id: -1},
    {email: null, id: 1.5},
    {email: null, id: 2 ** 53},
    {email: null, id: '583231'},
  ])('is refused whole with %o', async (fields, {expect}) => {
    await using place = await makeWorkplace();
    await gh(place, user(fields));
    expect(await reasonOf(ask(place))).toBe('malformed');
  });

  test('does not get a github.com address for an account of another host', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, user({email: null}));
    expect(await reasonOf(ask(place, {GH_HOST: 'ghe.example'}))).toBe('malformed');
    await gh(place, user({email: null, html_url: 'https://ghe.example/octo-cat'}));
    expect(await reasonOf(ask(place))).toBe('malformed');
    await gh(place, user({email: null, html_url: 'https://github.com/octo-cat'}));
    expect(await ask(place, {GH_HOST: 'GitHub.com'})).toMatchObject({email: last});
    await gh(place, user({html_url: 'https://ghe.example/octo-cat'}));
    expect(await ask(place, {GH_HOST: 'ghe.example'})).toMatchObject({email: first});
  });

  test('is still answered when the launch’s directory is gone', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, user({}));
    const cwd = await place.directory('gone');
    await rm(cwd, {recursive: true});
    expect(await ask(place, {}, cwd)).toMatchObject({login: 'octo-cat'});
  });
});

describe('no answer from gh', () => {
  const body = (message: string) => JSON.stringify({message, documentation_url: 'https://docs.github.com/rest'});
  const http = (status: number, message: string) => ({
    stdout: body(message),
    stderr: `gh: ${message} (HTTP ${status})\n`,
  });
  const dial = 'dial tcp 127.0.0.1:9: connect: connection refused';
  type Said = {readonly status?: number; readonly stdout?: string; readonly stderr?: string};
  const failures: readonly (readonly [string, Said])[] = [
    ['not-logged-in', {status: 4, stderr: 'To get started with GitHub CLI, please run:  gh auth login\n'}],
    ['refused', {...http(401, 'Bad credentials'), stderr: 'gh: Bad credentials (HTTP 401)\nTry: gh auth login\n'}],
    ['refused', http(403, 'Resource not accessible by integration')],
    ['rate-limited', http(403, 'API rate limit exceeded for user ID 1')],
    ['rate-limited', http(429, 'Too many requests')],
    ['not-found', http(404, 'Not Found')],
    ['server-error', http(502, 'Server Error')],
    ['captive-portal', http(511, 'Network Authentication Required')],
    ['captive-portal', {status: 0, stdout: '<!DOCTYPE html><html>log in</html>'}],
    ['unreachable', {stderr: 'error connecting to api.github.com\ncheck your internet connection\n'}],
    ['proxy-unusable', {stderr: `Get "https://api.github.com/user": proxyconnect tcp: ${dial}\n`}],
    ['certificate', {stderr: 'Get "https://x/user": x509: certificate signed by unknown authority\n'}],
    ['malformed', {status: 0, stdout: ''}],
    ['malformed', {status: 0, stdout: 'null'}],
    ['malformed', {status: 0, stdout: '{}'}],
    ['malformed', {status: 0, stdout: '[]'}],
    ['malformed', {status: 0, stdout: '"octo-cat"'}],
    ['malformed', {status: 1}],
  ];
  test.for(failures)('is %s for %o', async ([reason, {stdout = '', stderr = '', status = 1}], {expect}) => {
    await using place = await makeWorkplace();
    await gh(place, stdout, {stderr, status});
    expect(await reasonOf(ask(place))).toBe(reason);
  });

  test('never repeats what gh printed', async ({expect}) => {
    await using place = await makeWorkplace();
    await gh(place, 'SECRET1', {stderr: 'Get "https://u:SECRET2@proxy.example/": oops SECRET3\n', status: 1});
    const failure = await noAnswerOf(ask(place, {GH_TOKEN: 'SECRET4'}));
    expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`).not.toContain(
      'SECRET',
    );
  });

  test('says of a token without user that it has none, and asks to leave it at that', async ({expect}) => {
    await using place = await makeWorkplace();
    const {stdout, stderr} = http(403, 'Resource not accessible by integration');
    await gh(place, stdout, {stderr, status: 1});
    const failure = await noAnswerOf(ask(place));
    expect(failure).toMatchObject({message: 'this token has no user', retryAfter: 3_600_000});
    const keys = ['one', 'two'].map((GH_TOKEN) => keyOf(makeLaunch({...place.env, GH_TOKEN}, place.root)));
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('is the end of a gh that hangs, and of its children, at the limit', async ({expect}) => {
    await using place = await makeWorkplace();
    const limit = new AbortController();
    const line = await place.lifeline();
    await place.stub('gh', `${line.hold}\n/bin/sleep 1000 &\nwait`);
    const launch = makeLaunch(place.env, place.root);
    const reading = reasonOf(Promise.resolve(step.read(launch, makeTools({signal: limit.signal}))));
    await line.held;
    limit.abort();
    expect(await reading).toBe('timed-out');
    // Ends when the last process that holds it has: gh, and the child of gh.
    await line.released;
  });

  test('is not-logged-in with neither gh nor a token', async ({expect}) => {
    await using place = await makeWorkplace();
    expect(await reasonOf(ask(place))).toBe('not-logged-in');
    expect(await reasonOf(ask(place, {GH_TOKEN: ''}))).toBe('not-logged-in');
    expect(await reasonOf(ask(place, {GH_HOST: 'ghe.example', GH_TOKEN: 'for-github.com'}))).toBe('not-logged-in');
    expect(await reasonOf(ask(place, {GH_ENTERPRISE_TOKEN: 'for-ghe.example'}))).toBe('not-logged-in');
  });
});

describe('the key of the GitHub identity', () => {
  test('starts no process', async ({expect}) => {
    await using place = await makeWorkplace();
    const witness = join(place.root, 'witness');
    for (const name of ['git', 'gh']) await place.stub(name, `echo ${name} >> ${witness}`);
    step.key(makeLaunch(place.env, place.root));
    expect(linesOf(witness)).toEqual([]);
  });

  test('follows the account through switch, token, host, other configuration and log-out', async ({expect}) => {
    await using place = await makeWorkplace();
    await place.stub(
      'gh',
      `dir=\${GH_CONFIG_DIR:-$HOME/.config/gh}; login=\${GH_TOKEN:-}\n` +
        `[ -n "$GH_HOST" ] && login=\${GH_ENTERPRISE_TOKEN:-}\n` +
        `[ -z "$login" ] && [ -f "$dir/hosts.yml" ] && read login < "$dir/hosts.yml"\n` +
        `[ -z "$login" ] && exit 4\nprintf '{"login":"%s","id":1,"name":null,"email":"%s@x"}' "$login" "$login"`,
    );
    const cache = new Map<string, unknown>();
    /** One launch with a warm cache: asks only when the key is new. */
    const launch = async (env: Record<string, string> = {}): Promise<unknown> => {
      const one = makeLaunch({...place.env, ...env}, place.root);
      const key = keyOf(one);
      if (!cache.has(key)) {
        const answer: unknown = await Promise.resolve(step.read(one, makeTools())).catch(() => 'nobody');
        cache.set(key, answer);
      }
      return cache.get(key);
    };
    await place.write('home/.config/gh/hosts.yml', 'ann\n');
    expect(await launch()).toMatchObject({login: 'ann', email: 'ann@x'});
    await place.write('home/.config/gh/hosts.yml', 'bob\n');
    expect(await launch()).toMatchObject({login: 'bob', email: 'bob@x'});
    expect(await launch({GH_TOKEN: 'ann'})).toMatchObject({login: 'ann'});
    expect(await launch({GH_HOST: 'ghe.example', GH_TOKEN: 'ann', GH_ENTERPRISE_TOKEN: 'eve'})).toMatchObject({
      login: 'eve',
    });
    expect(await launch()).toMatchObject({login: 'bob'});
    const other = await place.directory('other');
    expect(await launch({GH_CONFIG_DIR: other})).toBe('nobody');
    await place.write('other/hosts.yml', 'zoe\n');
    expect(await launch({GH_CONFIG_DIR: other})).toMatchObject({login: 'zoe'});
    expect(await launch({XDG_CONFIG_HOME: other})).toMatchObject({login: 'bob'});
    await rm(join(place.home, '.config/gh/hosts.yml'));
    expect(await launch()).toBe('nobody');
    expect(cache.size).toBe(8);
  });

  test.for(['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'])(
    'changes with %s and never holds it',
    async (name, {expect}) => {
      await using place = await makeWorkplace();
      const keys = ['ghp_SECRET1', 'ghp_SECRET2', ''].map((token) =>
        keyOf(makeLaunch({...place.env, [name]: token}, '/')),
      );
      expect(new Set([...keys, keyOf(makeLaunch(place.env, '/'))]).size).toBe(4);
      expect(keys.join()).not.toContain('SECRET');
    },
  );

  test('changes with every file of gh’s configuration and with gh itself, and not with proxy or directory', async ({
    expect,
  }) => {
    await using place = await makeWorkplace();
    await gh(place, user({}));
    const key = (env: Record<string, string> = {}, cwd = place.root) => keyOf(makeLaunch({...place.env, ...env}, cwd));
    const before = key();
    expect(key({HTTPS_PROXY: 'http://u:p@127.0.0.1:9', TERM: 'x'}, place.home)).toBe(before);
    await place.write('home/.config/gh/config.yml', 'git_protocol: ssh\n');
    const configured = key();
    await gh(place, user({}));
    expect(new Set([before, configured, key(), key({GH_HOST: 'ghe.example'})]).size).toBe(4);
  });
});
