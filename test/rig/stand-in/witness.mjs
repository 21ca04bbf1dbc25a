import {appendFileSync} from 'node:fs';
import {isatty} from 'node:tty';

/** What a run saw and did, for tests: one JSON line per run when the settings name a file, nothing otherwise. */
export class Witness {
  #file;
  #seen;
  #calls = [];
  #timings = {};
  #guest = null;
  #ending = null;

  constructor(settings) {
    this.#file = settings.witness ?? null;
    this.#seen = {
      version: settings.version,
      pid: process.pid,
      ppid: process.ppid,
      argv: process.argv.slice(2),
      env: {...process.env},
      cwd: process.cwd(),
      umask: process.umask(),
      isTTY: [isatty(0), isatty(1), isatty(2)],
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => this.#signalled(signal));
  }

  /** A child process of the launcher itself (msb, git, gh), in order of start; the guest's is in `guest`. */
  call(argv) {
    this.#calls.push(argv);
  }

  guest(details) {
    this.#guest = details;
  }

  /** Milliseconds from the start of this process to the end of `phase`. */
  reached(phase) {
    this.#timings[phase] = performance.now();
  }

  /** While a guest runs, signals are its runner's business. Returns the function that gives them back. */
  handOver(handler) {
    this.#ending = handler;
    return () => {
      this.#ending = null;
    };
  }

  /** Dies by the signal's default action, leaving the sandbox directory behind as a killed launcher does. */
  dieBy(signal) {
    this.write({signal});
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  write(outcome) {
    if (this.#file === null) return;
    const record = {...this.#seen, timings: this.#timings, calls: this.#calls, guest: this.#guest, ...outcome};
    appendFileSync(this.#file, `${JSON.stringify(record)}\n`);
  }

  #signalled(signal) {
    if (this.#ending === null) this.dieBy(signal);
    else this.#ending(signal);
  }
}
