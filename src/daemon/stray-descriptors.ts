import {closeSync, readdirSync, readFileSync} from 'node:fs';

/** `O_CLOEXEC` as `/proc/self/fdinfo` shows it. */
const closeOnExec = 0o2000000;

/**
 * Closes descriptors that came with us from the process that started the daemon: a pipe held here would keep its reader
 * waiting for ever. Everything Node opens itself is close-on-exec, and Node marks inherited ones below 16 so as well,
 * which the starter had done already; what survived the exec and is not marked is the starter's. Linux only; elsewhere
 * Node passes on no descriptor above 15 that it knows of.
 */
export const closeStrayDescriptors = (): number => {
  let closed = 0;
  for (const descriptor of listDescriptors()) {
    if (descriptor < 3 || isCloseOnExec(descriptor)) continue;
    try {
      closeSync(descriptor);
      closed += 1;
    } catch {
      // gone between the look and the close
    }
  }
  return closed;
};

const listDescriptors = (): readonly number[] => {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
};

const isCloseOnExec = (descriptor: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    return true;
  }
};
