import type {Thing} from './things.js';
import {twoLines} from './two-lines.js';
import {isLater} from './version.js';

export interface NewVersion {
  readonly thing: Thing | undefined;
  /** `release` or `version`. */
  readonly kind: string;
  readonly newest: string | null;
  /** What to do where the runtime gives no advice. */
  readonly advice: (name: string) => string;
}

/** Says so when the newest version is later than every one the user has. */
export const versionNotice = ({thing, kind, newest, advice}: NewVersion): string | undefined => {
  const have = thing?.have ?? [];
  if (thing === undefined || newest === null || have.length === 0) return undefined;
  if (!have.every((version) => isLater(newest, version) === true)) return undefined;
  const mine = have.reduce((best, version) => (isLater(version, best) === true ? version : best));
  return twoLines(
    `A newer ${kind} of ${thing.name} is available (yours ${mine}, newest ${newest})`,
    thing.advice ?? advice(thing.name),
  );
};

/** A version or tag as it may be stored and shown: printable ASCII, at most 100 characters. */
export const isVersionText = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value);
