import {type IPty, spawn} from '@lydell/node-pty';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

/** How long a terminal may show nothing while a test waits, in milliseconds. */
const patience = 15_000;

/** A real pseudo-terminal with a program in it, driven by what it shows. */
export class Terminal implements Disposable {
  readonly #pty: IPty;
  #text = '';
  #ended: {readonly code: number; readonly signal: number} | undefined;
  readonly #watchers = new Set<() => void>();

  constructor(argv: readonly string[], options: TerminalOptions) {
    const [file = '', ...args] = argv;
    const env = Object.fromEntries(Object.entries(options.env).map(([name, value]) => [name, value ?? '']));
    this.#pty = spawn(file, args, {cwd: options.cwd, env, cols: options.columns ?? 80, rows: options.rows ?? 24});
    this.#pty.onData((data) => {
      this.#text += data;
      this.#changed();
    });
    this.#pty.onExit(({exitCode, signal}) => {
      this.#ended = {code: exitCode, signal: signal ?? 0};
      this.#changed();
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything shown so far. */
  get text(): string {
    return this.#text;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }

  /** Resolves when the pattern has been shown (after `from` characters); fails if the program ends before. */
  async shows(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#text.slice(from));
      if (found !== null) return found;
      if (this.#ended !== undefined)
        throw new Error(`the program ended without showing ${String(pattern)}:\n${this.#text}`);
      await this.#change(`without showing ${String(pattern)}`);
    }
  }

  async ended(): Promise<{readonly code: number; readonly signal: number}> {
    while (this.#ended === undefined) await this.#change('without ending');
    return this.#ended;
  }

  [Symbol.dispose](): void {
    if (this.#ended === undefined) this.#pty.kill('SIGKILL');
  }

  /** The next thing that happens; nothing for {@link patience} is a failure that shows the screen. */
  #change(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the terminal was silent ${what}:\n${this.#text}`)), patience);
      this.#watchers.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #changed(): void {
    const waiting = [...this.#watchers];
    this.#watchers.clear();
    for (const resolve of waiting) resolve();
  }
}
