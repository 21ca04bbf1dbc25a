import type {Moment} from '../model/units.js';
import type {ListChange} from '../timeline/settle.js';
import type {LineFeed} from './line-feed.js';
import type {ProcessTree} from './process-tree.js';

/** How late a wait can have noticed what it waited for. */
export interface Slack {
  /** `event`: the system told us. `polled`: we looked again and again, with a gap of `gapMs`. */
  readonly by: 'event' | 'polled';
  readonly gapMs: number;
  /** When it became true is known to lie at most this long before it was noticed, in milliseconds. */
  readonly mostMs: number;
}

/** A condition that has come true. */
export interface Met {
  /** When it was noticed. */
  readonly at: Moment;
  readonly slack: Slack;
  /** What answered: an address, a line, a file. */
  readonly detail: string;
}

/** What a wait may know of the target once it runs. */
export interface WatchedTarget {
  readonly startedAt: Moment;
  readonly tree: ProcessTree;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What the target writes, where we may read along. */
  readonly stdout: LineFeed | undefined;
  readonly stderr: LineFeed | undefined;
  /** Lists that the target put into its timeline so far, in milliseconds since the start; absent without a timeline. */
  readonly lists?: () => readonly ListChange[];
}

export type TellEarlier = (name: string, at: Moment, slack: Slack) => void;

/** One wait. Made before the target starts, so that what is there already is not taken for the target's. */
export interface Watch {
  /**
   * Resolves when the condition is true; never rejects. Ends, without resolving, at `signal`. `tell` is told of what is
   * true before that: `listening` before healthy.
   */
  readonly until: (target: WatchedTarget, signal: AbortSignal, tell: TellEarlier) => Promise<Met>;
  /** What has been seen so far, for the message when the wait fails. */
  readonly seen: () => string;
}

/** A promise that nobody will keep: for waits that are over by their signal. */
export const never = <T>(): Promise<T> => new Promise(() => undefined);

/** Waits, or returns early at the signal. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener('abort', over, {once: true});
  });
