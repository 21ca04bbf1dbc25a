/** What a launch is waited for with `--until`; a name of its own, so that it can be a milestone. */
export type Condition = {
  readonly name: string;
  readonly text: string;
} /** A listening socket of the target: a TCP port, a Unix socket's path, or a port that a file will name. */ & (
  | {readonly kind: 'port'; readonly host: string | undefined; readonly port: PortSource}
  | {
      readonly kind: 'http';
      readonly url: string | FromFile;
      readonly status: StatusRange;
      readonly body: RegExp | undefined;
    }
  | {readonly kind: 'log'; readonly stream: 'stdout' | 'stderr' | 'either'; readonly pattern: RegExp}
  /** `old`: what the file holds already counts too. */
  | {readonly kind: 'log-file'; readonly path: string; readonly pattern: RegExp; readonly old: boolean}
  /** `old`: a file that is there before the start counts. `empty`: one without content counts. */
  | {readonly kind: 'file'; readonly path: string; readonly old: boolean; readonly empty: boolean}
  | {readonly kind: 'exec'; readonly command: readonly string[]}
  | {
      readonly kind: 'settled';
      readonly observable: Observable;
      readonly quiet: number;
      readonly top: number;
      readonly cutoff: number;
    }
  | {
      readonly kind: 'screen';
      readonly display: string | undefined;
      readonly region: Region | undefined;
      readonly goal: ScreenGoal;
    }
);

export type PortSource = number | {readonly path: string} | FromFile;

/** A port or URL that is read from a file when the target has written it. */
export interface FromFile {
  readonly file: string;
  /** What is put behind what the file says. */
  readonly suffix: string;
}

export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Where a list or a text comes from that shall stop changing. */
export type Observable =
  | {readonly kind: 'output'}
  /** Lists that the target itself puts into its timeline. */
  | {readonly kind: 'timeline'}
  | {readonly kind: 'url'; readonly url: string}
  | {readonly kind: 'command'; readonly command: readonly string[]}
  | {readonly kind: 'screen'; readonly display: string | undefined};

/** Pixels of a display. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type ScreenGoal =
  | {readonly kind: 'not-blank'}
  /** A window whose title matches. */
  | {readonly kind: 'title'; readonly pattern: RegExp}
  /** A PPM picture (P6) that the region must equal. */
  | {readonly kind: 'picture'; readonly path: string};
