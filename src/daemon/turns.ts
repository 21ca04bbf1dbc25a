/**
 * Launches that come at one moment take turns, one in each turn of the event loop. Otherwise the last of a hundred would hear
 * nothing from us while we plan all the others, and would go on without us after 50 ms of silence.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Would a launch that comes now be planned at once? */
  get isFree(): boolean {
    return !this.#isTaken;
  }

  /** Undefined where the turn is free: a launch that is alone goes on in the same moment. Otherwise resolves at its turn. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    setImmediate(this.#next);
    return undefined;
  }

  readonly #next = (): void => {
    const first = this.#waiting.shift();
    this.#isTaken = first !== undefined;
    if (first === undefined) return;
    setImmediate(this.#next);
    first();
  };
}
