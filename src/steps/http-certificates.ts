import {readFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {createSecureContext, rootCertificates, type SecureContext} from 'node:tls';
import {digest} from '../system/digest.js';
import type {HttpLaunch} from './http-client.js';

/** Variables that name a PEM file of authorities to trust besides the built-in ones: Node's own, and OpenSSL's. */
const variables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

/** The texts of the launch's own CA files. One that cannot be read is passed over, as Node does. */
export const extraCertificates = async ({env, cwd}: HttpLaunch): Promise<readonly string[]> => {
  const paths = variables.map((name) => env[name] ?? '').filter((path) => path !== '');
  const texts = await Promise.all(paths.map((path) => readFile(resolve(cwd, path), 'utf8').catch(() => '')));
  return texts.filter((text) => text.includes('-----BEGIN'));
};

/** One context costs 20 ms to build (150 roots) and the daemon meets few sets of CA files: the last ones are kept. */
const contexts = new Map<string, SecureContext>();
const contextLimit = 4;

/**
 * What to trust: the built-in roots and these. Always said in full, since this process may have been started with
 * another launch's NODE_EXTRA_CA_CERTS.
 */
export const trust = (extra: readonly string[]): SecureContext => {
  const key = digest(extra.join('\0'));
  const known = contexts.get(key);
  if (known !== undefined) return known;
  const context = createSecureContext({ca: [...rootCertificates, ...extra]});
  const [oldest] = contexts.keys();
  if (oldest !== undefined && contexts.size >= contextLimit) contexts.delete(oldest);
  contexts.set(key, context);
  return context;
};
