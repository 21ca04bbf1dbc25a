/** Every expected reason why something did not work. Crosses the socket as it is; `views/failure.ts` puts it in words. */
export type Failure =
  | {readonly reason: 'no-state-directory'; readonly complaint: string}
  /** `lastStart`: why the last try to start it came to nothing, and when (wall clock). */
  | {readonly reason: 'daemon-not-running'; readonly lastStart: FailedStart | undefined}
  /** `daemon`: what it said of itself, if it said that much. */
  | {
      readonly reason: 'daemon-unreachable';
      readonly detail: string;
      readonly daemon: {readonly protocol: number; readonly build: string} | undefined;
    }
  | {readonly reason: 'daemon-of-others'; readonly socket: string}
  | {readonly reason: 'daemon-did-not-start'; readonly detail: string; readonly log: string | undefined}
  | {readonly reason: 'daemon-other-version'; readonly daemon: string; readonly ours: string}
  | {readonly reason: 'daemon-did-not-stop'; readonly pid: number}
  | {readonly reason: 'daemon-busy'; readonly launches: number}
  | {readonly reason: 'unknown-launch'; readonly launch: string}
  | {readonly reason: 'no-launches'}
  /** None of the launches on record fits. */
  | {readonly reason: 'no-such-launches'; readonly filter: string}
  | {readonly reason: 'unknown-step'; readonly step: string; readonly known: readonly string[]}
  | {readonly reason: 'unknown-verb'; readonly verb: string; readonly known: readonly string[]}
  | {readonly reason: 'no-answer-stored'; readonly wanted: string; readonly known: readonly string[]}
  | {readonly reason: 'unknown-setting'; readonly name: string; readonly known: readonly string[]}
  | {readonly reason: 'bad-setting'; readonly name: string; readonly value: string; readonly expected: string}
  | {readonly reason: 'bad-config-file'; readonly path: string; readonly detail: string}
  /** `wanted`: the id that was asked for; undefined: there is no bench at all. */
  | {readonly reason: 'unknown-bench'; readonly wanted: string | undefined}
  | {readonly reason: 'other-host'; readonly differences: readonly string[]}
  | {readonly reason: 'runs-failed'; readonly failed: number; readonly total: number}
  | {readonly reason: 'text-changed'; readonly file: string; readonly registeredAt: string; readonly detail: string}
  | {readonly reason: 'bad-argument'; readonly detail: string}
  | {readonly reason: 'unknown-optimization'; readonly optimization: string; readonly known: readonly string[]}
  | {readonly reason: 'no-standby'; readonly detail: string}
  | {readonly reason: 'directory-exists'; readonly path: string}
  | {readonly reason: 'internal-error'; readonly detail: string};

/** A daemon that was started and did not come up. */
export interface FailedStart {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly detail: string;
}

/** What a function returns where trouble is expected; exceptions are bugs. */
export type Result<T, F = Failure> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly failure: F};

export const done = <T>(value: T): {readonly ok: true; readonly value: T} => ({ok: true, value});

export const failed = <F>(failure: F): {readonly ok: false; readonly failure: F} => ({ok: false, failure});
