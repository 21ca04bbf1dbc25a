/** What planning knew and the end of a launch needs. */
export interface LaunchNote {
  readonly release: number;
  /** agent-vm was told not to ask the registry, by us or by the user. */
  readonly checkIsOff: boolean;
  /** agent-vm had no need to ask GitHub. */
  readonly identityIsReady: boolean;
  /** agent-vm's identity file as it was at planning time, before anybody wrote it. */
  readonly identityFile: {readonly path: string; readonly identity: string} | undefined;
}

/** Launches kept in mind; the oldest is dropped first. A forgotten one only loses detail in its profile. */
const limit = 256;

/** One per process; a launch's end is told to the process that planned it, or to none. */
const notes = new Map<string, LaunchNote>();

/** Keeps what the end of this launch will need, in memory only. */
export const rememberLaunch = (id: string, note: LaunchNote): void => {
  notes.set(id, note);
  const oldest = notes.keys().next();
  if (notes.size > limit && oldest.done !== true) notes.delete(oldest.value);
};

/** What was kept of a launch; undefined when it was planned in another process or long ago. */
export const recallLaunch = (id: string): LaunchNote | undefined => notes.get(id);
