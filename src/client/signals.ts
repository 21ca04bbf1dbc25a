import {type ChildProcess, spawn} from 'node:child_process';

/** Signals that reach a target; the others stop or end us without asking. */
const passedOn = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/** How long the witness may take to die of a signal that the whole group got, in milliseconds: 25 is many switches. */
const witnessLimit = 25;

/**
 * Sees to it that the target gets each signal once. A terminal (or `kill -- -group`) signals the whole process group, so
 * the target has it already; `kill PID` reaches only us, and we pass it on. Node does not say which it was, so a witness
 * sits in the group: if the signal ends the witness, the group got it. The witness reads from a pipe of ours and so ends
 * with us, whatever ends us.
 */
export class SignalRelay {
  readonly #target: ChildProcess;
  #witness: ChildProcess | undefined;
  readonly #handlers = new Map<NodeJS.Signals, () => void>();

  /** Before the target is started: from now on signals do not end us. */
  static hold(): () => void {
    const nothing = (): void => undefined;
    for (const signal of passedOn) process.on(signal, nothing);
    return () => {
      for (const signal of passedOn) process.off(signal, nothing);
    };
  }

  constructor(target: ChildProcess) {
    this.#target = target;
    for (const signal of passedOn) {
      const handler = (): void => void this.#signalled(signal);
      this.#handlers.set(signal, handler);
      process.on(signal, handler);
    }
    this.#placeWitness();
  }

  stop(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
    this.#witness?.removeAllListeners('exit');
    this.#witness?.stdin?.destroy();
    this.#witness?.kill('SIGKILL');
  }

  #placeWitness(): void {
    const witness = spawn('/bin/cat', [], {stdio: ['pipe', 'ignore', 'ignore'], env: {}});
    witness.on('error', () => undefined);
    witness.stdin.on('error', () => undefined);
    witness.unref();
    this.#witness = witness;
  }

  async #signalled(signal: NodeJS.Signals): Promise<void> {
    const witness = this.#witness;
    const groupHasIt = witness?.pid !== undefined && (await diesOf(witness, signal));
    if (groupHasIt) this.#placeWitness();
    else this.#target.kill(signal);
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
