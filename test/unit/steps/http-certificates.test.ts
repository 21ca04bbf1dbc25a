import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {httpClient} from '../../../src/steps/http-client.js';
import {NoAnswer} from '../../../src/steps/no-answer.js';
import {startGitHub} from '../../rig/github.js';
import {startScriptedServer} from '../../rig/scripted-server.js';
import {launchWith} from '../plugins/update-check/launch.js';

const get = async (env: Readonly<Record<string, string>>, url: string, cwd = '/'): Promise<number | NoAnswer> => {
  const http = await httpClient(launchWith({env, cwd}));
  return await http.get(url).then(
    ({statusCode}) => statusCode,
    (error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    },
  );
};

describe('trust', () => {
  test('an authority nobody knows is a reason of its own', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1'}});
    expect(await get({}, `${github.url}/repos/o/r/releases/latest?SECRET`)).toMatchObject({
      reason: 'certificate',
      message: expect.not.stringContaining('SECRET') as string,
    });
  });

  test.for(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('%s of the launch adds an authority', async (name, {expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1'}});
    const url = `${github.url}/repos/o/r/releases/latest`;
    expect(await get({[name]: github.certFile}, url)).toBe(200);
    expect(await get({[name]: 'cert.pem'}, url, github.directory)).toBe(200);
    expect(await get({}, url)).toBeInstanceOf(NoAnswer);
  });

  test('a file that is missing or no certificate changes nothing', async ({expect}) => {
    await using github = await startGitHub({releases: {'o/r': 'v1'}});
    const url = `${github.url}/repos/o/r/releases/latest`;
    const rubbish = join(github.directory, 'rubbish.pem');
    await writeFile(rubbish, '-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n');
    expect(await get({NODE_EXTRA_CA_CERTS: '/nowhere.pem', SSL_CERT_FILE: github.certFile}, url)).toBe(200);
    expect(await get({NODE_EXTRA_CA_CERTS: rubbish}, url)).toMatchObject({reason: 'certificate'});
  });

  test('a redirect from HTTPS to plain HTTP is a captive portal, and is not followed', async ({expect}) => {
    await using portal = await startScriptedServer({answer: () => ({body: {}})});
    await using github = await startGitHub();
    const location = `http://localhost:${String(portal.port)}/login`;
    github.answer({}, {status: 302, headers: {location, server: 'portal'}});
    expect(await get({SSL_CERT_FILE: github.certFile}, `${github.url}/user`)).toMatchObject({reason: 'captive-portal'});
    expect(portal.requests).toHaveLength(0);
  });

  test('plain HTTP on a port for HTTPS is malformed', async ({expect}) => {
    await using server = await startScriptedServer({answer: () => ({body: {}})});
    expect(await get({}, `https://localhost:${String(server.port)}/`)).toMatchObject({reason: 'malformed'});
  });
});
