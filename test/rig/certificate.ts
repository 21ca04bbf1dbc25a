import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {requireProgram, run} from './program.js';

export type Certificate = {
  /** PEM texts. */
  readonly key: string;
  readonly cert: string;
  /** File with the certificate, for SSL_CERT_FILE or NODE_EXTRA_CA_CERTS. */
  readonly certFile: string;
};

/** A self-signed certificate for `localhost` and 127.0.0.1, valid for a day. */
export async function makeCertificate(directory: string): Promise<Certificate> {
  const openssl = requireProgram('openssl', 'openssl');
  const keyFile = join(directory, 'key.pem');
  const certFile = join(directory, 'cert.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const {status, stderr} = await run([openssl, 'req', '-x509', ...key, '-out', certFile, '-days', '1', ...names]);
  if (status !== 0) throw new Error(`openssl could not make a certificate:\n${stderr}`);
  return {key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8'), certFile};
}
