import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Moment} from '../model/units.js';
import {onFileChange} from '../readiness/file-changes.js';
import {systemClock} from '../system/clock.js';
import type {ListChange} from '../timeline/settle.js';
import {listIn, type TimelineLine, TimelineReader} from '../timeline/timeline-file.js';

/** The timeline of one run: a file that only its target knows, read as it grows. */
export class RunTimeline {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bootcut-bench-'));
  readonly path = join(this.#directory, 'timeline');
  readonly #reader = new TimelineReader(this.path);
  readonly lines: TimelineLine[] = [];
  readonly lists: ListChange[] = [];
  #startedAt: Moment | undefined;
  #onLine: (line: TimelineLine) => void = () => undefined;

  constructor() {
    writeFileSync(this.path, '', {mode: 0o600});
  }

  /** Tells of each line as it comes, until the signal. */
  follow(startedAt: Moment, signal: AbortSignal, onLine: (line: TimelineLine) => void): void {
    this.#startedAt = startedAt;
    this.#onLine = onLine;
    onFileChange(
      this.path,
      () => {
        this.take();
        return false;
      },
      signal,
    );
  }

  /** Takes in what has come meanwhile. */
  take(): void {
    for (const line of this.#reader.read(systemClock.now())) {
      const list = this.#startedAt === undefined ? undefined : listIn(line, this.#startedAt);
      if (list !== undefined) this.lists.push(list);
      this.lines.push(line);
      this.#onLine(line);
    }
  }

  remove(): void {
    rmSync(this.#directory, {recursive: true, force: true});
  }
}
