import {contentIdentity} from './content-identity.js';

/** Files of one kind that are remembered: a large program has some hundred jars. */
const most = 2000;

/**
 * Reads each file once for as long as it stays what it is: `read` may then cost milliseconds although launches must not.
 * What `read` throws is remembered as undefined.
 */
export const rememberFiles = <Value>(read: (path: string) => Value): ((path: string) => Value | undefined) => {
  const known = new Map<string, {readonly identity: string; readonly value: Value | undefined}>();
  return (path) => {
    const identity = contentIdentity(path);
    const old = known.get(path);
    if (old?.identity === identity) return old.value;
    const value = orUndefined(() => read(path));
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
