import type {Launch} from 'bootcut/plugin';

/** Verbs of this runtime; it is asked for by `--runtime qemu` or by the setting `runtime`. */
export const verbs = ['shell', 'setup'] as const;

/** Does this launch boot a VM? `run` does as well when this runtime is asked for: all of its list is the command. */
export const startsGuest = (launch: Pick<Launch, 'verb' | 'runtime'>): boolean =>
  launch.runtime === 'qemu' && (launch.verb === 'shell' || launch.verb === 'run');
