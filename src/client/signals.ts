import {type ChildProcess, spawn} from 'node:child_process';

/** Signals that reach a target; the others stop or end us without asking. */
const passedOn = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/** How long the witness may take to die of a signal that the whole group got, in milliseconds: 25 is many switches. */
const witnessLimit = 25;

/**
 * A process in our own group that tells a signal to the group from one to us alone. It reads from a pipe of ours and so
 * ends with us, whatever ends us. It must be there before the target is: a signal may come at any moment after.
 */
export class GroupWitness {
  #process: ChildProcess;

  constructor() {
    this.#process = place();
  }

  /** Has the whole group got this signal? Then the witness has died of it, and another takes its place. */
  async sawDeath(signal: NodeJS.Signals): Promise<boolean> {
    const witness = this.#process;
    if (witness.pid === undefined || !(await diesOf(witness, signal))) return false;
    if (this.#process === witness) this.#process = place();
    return true;
  }

  dismiss(): void {
    this.#process.stdin?.destroy();
    this.#process.kill('SIGKILL');
  }
}

const place = (): ChildProcess => {
  // The one program that is at the same place everywhere (NixOS has no /bin/cat).
  const witness: ChildProcess = spawn('/bin/sh', ['-c', 'read -r _'], {stdio: ['pipe', 'ignore', 'ignore'], env: {}});
  witness.on('error', () => undefined);
  witness.stdin?.on('error', () => undefined); // none where there were no descriptors left for it
  witness.unref();
  return witness;
};

/**
 * Sees to it that the target gets each signal once. A terminal (or `kill -- -group`) signals the whole process group, so
 * the target has it already; `kill PID` reaches only us, and we pass it on. Node does not say which it was; the witness
 * does. From `hold` on, signals no longer end us: call it when the target is about to start.
 */
export class SignalRelay {
  readonly #witness: GroupWitness;
  readonly #handlers = new Map<NodeJS.Signals, () => void>();
  #target: ChildProcess | undefined;

  private constructor(witness: GroupWitness) {
    this.#witness = witness;
    for (const signal of passedOn) {
      const handler = (): void => void this.#signalled(signal);
      this.#handlers.set(signal, handler);
      process.on(signal, handler);
    }
  }

  static hold(witness: GroupWitness): SignalRelay {
    return new SignalRelay(witness);
  }

  /** The target that signals are for from now on. */
  serve(target: ChildProcess): void {
    this.#target = target;
  }

  stop(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
    this.#witness.dismiss();
  }

  async #signalled(signal: NodeJS.Signals): Promise<void> {
    if (!(await this.#witness.sawDeath(signal))) this.#target?.kill(signal);
  }
}

const diesOf = (witness: ChildProcess, signal: NodeJS.Signals): Promise<boolean> =>
  new Promise((resolve) => {
    if (witness.signalCode !== null || witness.exitCode !== null) {
      resolve(witness.signalCode === signal);
      return;
    }
    const timer = setTimeout(() => resolve(false), witnessLimit);
    witness.once('exit', (_code, by) => {
      clearTimeout(timer);
      resolve(by === signal);
    });
  });
