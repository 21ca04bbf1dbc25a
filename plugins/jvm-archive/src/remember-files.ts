import {statSync} from 'node:fs';
import {contentIdentity} from './content-identity.js';

/** Files of one kind that are remembered: a large program has some hundred jars. */
const most = 2000;

/** Where the system shows each process its own descriptors: the caller's are not to be found there by anybody else. */
const ofOneProcess = /^\/(?:dev\/(?:fd\/|std(?:in|out|err)$)|proc\/(?:self|thread-self)\/)/;

/** What is in a pipe is meant for the program that is being started, and would hold us until somebody wrote to it. */
const isPlainFile = (path: string): boolean => !ofOneProcess.test(path) && statSync(path).isFile();

/**
 * Reads each file once for as long as it stays what it is: `read` may then cost milliseconds although launches must not.
 * What `read` throws is remembered as undefined, as is everything that is no plain file.
 */
export const rememberFiles = <Value>(read: (path: string) => Value): ((path: string) => Value | undefined) => {
  const known = new Map<string, {readonly identity: string; readonly value: Value | undefined}>();
  return (path) => {
    const identity = contentIdentity(path);
    const old = known.get(path);
    if (old?.identity === identity) return old.value;
    const value = orUndefined(() => (isPlainFile(path) ? read(path) : undefined));
    if (known.size >= most) known.clear();
    known.set(path, {identity, value});
    return value;
  };
};

export const orUndefined = <Value>(work: () => Value): Value | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};
