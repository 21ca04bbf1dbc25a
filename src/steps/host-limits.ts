import {ms} from '../model/units.js';

/** How long quick functions (`key`, `apply`, `plan`, …) may take before their thread counts as hung. */
export const quickLimit = ms(1000);

/** Loading may import large packages on a busy machine. */
export const loadLimit = ms(10_000);

/** After its limit a call is aborted; a thread that does not even answer a ping for this long is ended. */
export const pingLimit = ms(150);

/** How long a thread that is to be closed may take to notice. */
export const closeLimit = ms(500);

/** A thread that failed this often in a row is left alone for {@link faultPause}. */
export const faultsInARow = 3;
export const faultPause = 60_000;

/** Memory of one plugin thread, in MiB, before V8 ends it: generous for what look-ups need. */
export const threadMemory = 256;

/** Its young generation, in MiB: what look-ups make is small and short-lived, and the daemon's memory is the user's. */
export const youngMemory = 2;
