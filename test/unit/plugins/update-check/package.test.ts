import {access, chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {NoAnswer} from 'bootcut/plugin';
import {describe, test} from 'vitest';
import plugin from '../../../../plugins/update-check/src/index.js';
import {startScriptedServer} from '../../../rig/scripted-server.js';
import {launchWith, toolsWith} from './launch.js';

const [, , packageVersion] = plugin.steps;

/** A PATH on which npm is this script. */
const npmThat = async (script: string) => {
  const directory = await mkdtemp(join(tmpdir(), 'bootcut-npm-'));
  const npm = join(directory, 'npm');
  await writeFile(npm, `#!/bin/sh\n${script}\n`);
  await chmod(npm, 0o755);
  return {
    env: {PATH: `${directory}:/usr/bin:/bin`, HOME: directory},
    [Symbol.asyncDispose]: () => rm(directory, {recursive: true}),
  };
};

const refusalOf = async (reading: Promise<unknown>): Promise<NoAnswer> => {
  const error: unknown = await reading.then(
    () => new Error('there was an answer'),
    (reason: unknown) => reason,
  );
  if (error instanceof NoAnswer) return error;
  throw error;
};

describe('the package step', () => {
  test('asks npm itself, with low priority and away from any project', async ({expect}) => {
    await using npm = await npmThat(
      'printf "%s " "$@" >"$HOME/asked"; pwd >>"$HOME/asked"; nice >>"$HOME/asked"; echo \'"1.2.3"\'',
    );
    expect(await packageVersion.read(launchWith({item: '@s/n', env: npm.env}), toolsWith())).toBe('1.2.3');
    expect(await readFile(join(npm.env.HOME, 'asked'), 'utf8')).toBe('view --json -- @s/n version /\n10\n');
  });

  test.for<[string, string, string]>([
    ['E404', 'not-found', '{"error":{"code":"E404","summary":"no SECRET"}}'],
    ['E401', 'refused', '{"error":{"code":"E401"}}'],
    ['E429', 'rate-limited', '{"error":{"code":"E429"}}'],
    ['E503', 'server-error', '{"error":{"code":"E503"}}'],
    ['ENOTFOUND', 'unreachable', '{"error":{"code":"ENOTFOUND"}}'],
    ['ECONNREFUSED', 'unreachable', '{"error":{"code":"ECONNREFUSED"}}'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate', '{"error":{"code":"SELF_SIGNED_CERT_IN_CHAIN"}}'],
    ['a code that is none', 'malformed', '{"error":{"code":"http://u:SECRET@x"}}'],
    ['text', 'malformed', 'npm ERR! https://u:SECRET@registry.example'],
    ['nothing', 'malformed', ''],
  ])('%s is %s', async ([, reason, output], {expect}) => {
    await using npm = await npmThat(`cat <<'END'\n${output}\nEND\nexit 1`);
    const failure = await refusalOf(
      Promise.resolve(packageVersion.read(launchWith({item: 'n', env: npm.env}), toolsWith())),
    );
    expect(failure.reason).toBe(reason);
    expect(failure.message).not.toContain('SECRET');
  });

  test.for(['null', '{}', '["1.0.0","2.0.0"]', '', 'undefined', '"1.0.0\\n==> sudo"'])(
    'an answer that names no version is malformed: %s',
    async (output, {expect}) => {
      await using npm = await npmThat(`cat <<'END'\n${output}\nEND`);
      const reading = packageVersion.read(launchWith({item: 'n', env: npm.env}), toolsWith());
      expect((await refusalOf(Promise.resolve(reading))).reason).toBe('malformed');
    },
  );

  test('without npm there is no answer', async ({expect}) => {
    const reading = packageVersion.read(launchWith({item: 'n', env: {PATH: '/nowhere'}}), toolsWith());
    expect((await refusalOf(Promise.resolve(reading))).reason).toBe('not-installed');
  });

  test.for(['--registry=http://evil', '-g', '../x', 'a b', 'A', ''])(
    '%j is not handed to npm',
    async (item, {expect}) => {
      await using npm = await npmThat('touch "$HOME/asked"; echo \'"1.0.0"\'');
      const reading = packageVersion.read(launchWith({item, env: npm.env}), toolsWith());
      expect((await refusalOf(Promise.resolve(reading))).reason).toBe('malformed');
      await expect(access(join(npm.env.HOME, 'asked'))).rejects.toThrow();
    },
  );

  test('another registry or login is another answer, and no secret is in the key', async ({expect}) => {
    await using npm = await npmThat('');
    const keyWith = (env: Record<string, string>) => JSON.stringify(packageVersion.key(launchWith({item: 'n', env})));
    const bare = keyWith(npm.env);
    const configured = keyWith({...npm.env, npm_config_registry: 'https://u:SECRET@registry.example'});
    await writeFile(join(npm.env.HOME, '.npmrc'), '//registry.example/:_authToken=SECRET\n');
    const loggedIn = keyWith(npm.env);
    expect(new Set([bare, configured, loggedIn]).size).toBe(3);
    expect(configured + loggedIn).not.toContain('SECRET');
    expect(keyWith({...npm.env, npm_config_user_agent: 'x'})).toBe(loggedIn);
  });

  test('the real npm answers from the registry that is configured', async ({expect}) => {
    await using registry = await startScriptedServer({
      answer: ({url}) =>
        url.startsWith('/n')
          ? {
              headers: {'content-type': 'application/json'},
              body: {
                name: 'n',
                'dist-tags': {latest: '4.5.6'},
                versions: {'4.5.6': {name: 'n', version: '4.5.6', dist: {tarball: 'http://127.0.0.1:1/n.tgz'}}},
              },
            }
          : {status: 404, body: {error: 'not found'}},
    });
    await using home = await npmThat('');
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home.env.HOME,
      npm_config_registry: `http://127.0.0.1:${String(registry.port)}/`,
      npm_config_globalconfig: '/dev/null',
    };
    expect(await packageVersion.read(launchWith({item: 'n', env}), toolsWith())).toBe('4.5.6');
    const missing = packageVersion.read(launchWith({item: 'missing', env}), toolsWith());
    expect((await refusalOf(Promise.resolve(missing))).reason).toBe('not-found');
  });
});
