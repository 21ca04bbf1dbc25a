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

/** A certificate for `localhost` alone, signed by an authority of its own; `certFile` is the authority's. */
export async function makeSignedCertificate(directory: string): Promise<Certificate> {
  const openssl = requireProgram('openssl', 'openssl');
  const [caKey, certFile] = [join(directory, 'authority-key.pem'), join(directory, 'authority.pem')];
  const [keyFile, leafFile] = [join(directory, 'leaf-key.pem'), join(directory, 'leaf.pem')];
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-x509'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const leaf = [...names, '-addext', 'basicConstraints=critical,CA:FALSE', '-CA', certFile, '-CAkey', caKey];
  for (const args of [
    ['-keyout', caKey, '-out', certFile, '-subj', '/CN=An authority of a test'],
    ['-keyout', keyFile, '-out', leafFile, ...leaf],
  ]) {
    const {status, stderr} = await run([openssl, 'req', ...fresh, ...args]);
    if (status !== 0) throw new Error(`openssl could not make a certificate:\n${stderr}`);
  }
  return {key: await readFile(keyFile, 'utf8'), cert: await readFile(leafFile, 'utf8'), certFile};
}
