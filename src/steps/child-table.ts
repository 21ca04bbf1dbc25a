/** Most processes that the plugins of one thread have running at once; more are not ended with their thread. */
const slots = 256;

/**
 * Process groups that a plugin thread has started, in memory that both sides see: a message would be lost with a thread
 * that is ended in the moment in which it starts something.
 */
export class ChildTable {
  readonly #pids: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT)) {
    this.#pids = new Int32Array(memory);
  }

  /** To be handed to the thread. */
  get memory(): SharedArrayBuffer {
    return this.#pids.buffer as SharedArrayBuffer;
  }

  add(pid: number): void {
    this.#replace(0, pid);
  }

  delete(pid: number): void {
    this.#replace(pid, 0);
  }

  /** Ends them all, whole groups. */
  kill(): void {
    for (let slot = 0; slot < this.#pids.length; slot += 1) {
      const pid = Atomics.exchange(this.#pids, slot, 0);
      // A negative 1 means every process there is, a 0 our own group: never, whatever a plugin has written there.
      if (pid <= 1) continue;
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // ended already
      }
    }
  }

  #replace(old: number, now: number): void {
    for (let slot = 0; slot < this.#pids.length; slot += 1) {
      if (Atomics.compareExchange(this.#pids, slot, old, now) === old) return;
    }
  }
}
