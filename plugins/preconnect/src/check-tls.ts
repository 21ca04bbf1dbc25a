import type {FarHost} from './hosts.js';

/** A host is asked to show its certificate no more often than this, in milliseconds. */
const restFor = 600_000;

const checked = new Map<string, {readonly at: number; readonly result: Promise<string>}>();

/**
 * Makes a TLS connection and closes it: `ok`, or the code of what is wrong (`CERT_HAS_EXPIRED`). The launch goes on either
 * way; it is for the record.
 */
export const checkTls = async (far: FarHost, signal: AbortSignal): Promise<string> => {
  const known = checked.get(far.name);
  if (known !== undefined && performance.now() - known.at < restFor) return await known.result;
  const result = handshake(far, signal);
  checked.set(far.name, {at: performance.now(), result});
  return await result;
};

const handshake = ({host, port}: FarHost, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const {connect} = process.getBuiltinModule('node:tls');
    const {isIP} = process.getBuiltinModule('node:net');
    const socket = connect({host, port, ...(isIP(host) === 0 ? {servername: host} : {})});
    const end = (text: string): void => {
      resolve(text);
      socket.destroy();
    };
    socket.once('secureConnect', () => end('ok'));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    signal.addEventListener('abort', () => end('abandoned'), {once: true});
    socket.unref();
  });
