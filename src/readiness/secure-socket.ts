import {isIP, type Socket} from 'node:net';
import {connect, createSecureContext} from 'node:tls';

/** A connection after the handshake, or why there is none. */
export type Secured =
  | {
      readonly ok: true;
      readonly socket: Socket;
      /** What is wrong with the certificate; null where nothing is. */
      readonly certificate: string | null;
    }
  | {readonly ok: false; readonly text: string; readonly certificate: string | null};

/**
 * A handshake that is ready to be timed: reading 150 authorities takes tens of milliseconds, which are ours and not the
 * server's. Trusts what Node does, `NODE_EXTRA_CA_CERTS` among it; with `anyCertificate` it only says what is wrong.
 */
export const prepareTls = (
  host: string,
  anyCertificate: boolean,
): ((socket: Socket, limitMs: number) => Promise<Secured>) => {
  const secureContext = createSecureContext();
  // A server is asked for by its name; an address is no name.
  const name = isIP(host) === 0 ? {servername: host} : {};
  return (socket, limitMs) =>
    new Promise((resolve) => {
      const secured = connect({socket, host, ...name, secureContext, rejectUnauthorized: !anyCertificate});
      const timer = setTimeout(() => {
        resolve({ok: false, text: 'TLS did not come about within the limit', certificate: null});
      }, limitMs);
      secured.once('secureConnect', () => {
        clearTimeout(timer);
        // Node's types promise an error; it is the code, or null.
        const code = secured.authorizationError as unknown as string | null;
        resolve({ok: true, socket: secured, certificate: code ?? null});
      });
      secured.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        resolve(failureOf(error));
      });
    });
};

/** Faults of the certificate have no number, faults of the connection have. */
const failureOf = ({code = '', message}: NodeJS.ErrnoException): Secured => {
  const isCertificate = /CERT|SIGNATURE|ISSUER|CRL/.test(code);
  if (!isCertificate) return {ok: false, text: `TLS failed: ${oneLine(message)}`, certificate: null};
  return {
    ok: false,
    text: `the certificate is not trusted: ${oneLine(message)} (${code}); NODE_EXTRA_CA_CERTS=FILE adds an authority, --any-certificate goes on without`,
    certificate: code,
  };
};

/** OpenSSL's messages end with a newline and have the place in its source in front. */
const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
