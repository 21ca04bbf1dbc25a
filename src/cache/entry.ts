import * as v from 'valibot';
import type {Json} from '../model/json.js';
import type {Milliseconds, WallTime} from '../model/units.js';
import type {Clock} from '../system/clock.js';

/** A stored answer with both of its deadlines; Keyv is only told the outer one, since it deletes on read. */
export interface Entry {
  readonly v: 1;
  /** `plugin/step` or `plugin/step[item]`. */
  readonly step: string;
  readonly value: Json;
  readonly readAt: WallTime;
  readonly freshUntil: WallTime;
  readonly expiresAt: WallTime;
  /** How long asking took. */
  readonly took: Milliseconds;
  readonly etag?: string;
  /** Files the answer depends on, found while reading, with their identity then. */
  readonly files: readonly (readonly [path: string, identity: string])[];
  readonly private: boolean;
}

/** Whatever came out of `JSON.parse` is JSON; a value must only be there. The step's own `parse` looks closer. */
const json = v.custom<Json>((value) => value !== undefined);

const time = <T extends number>() =>
  v.pipe(
    v.number(),
    v.finite(),
    v.transform((value) => value as T),
  );

const entrySchema = v.object({
  v: v.literal(1),
  step: v.string(),
  value: json,
  readAt: time<WallTime>(),
  freshUntil: time<WallTime>(),
  expiresAt: time<WallTime>(),
  took: time<Milliseconds>(),
  etag: v.optional(v.string()),
  files: v.array(v.tuple([v.string(), v.string()])),
  private: v.boolean(),
});

/** A stored thing as an entry, or undefined when it is not one. */
export const readEntry = (stored: unknown): Entry | undefined => {
  const result = v.safeParse(entrySchema, stored);
  return result.success ? (result.output as Entry) : undefined;
};

/** Clock differences between writers that are no reason for doubt. */
const skew = 5000;

/**
 * The entry with no later deadlines than its step gives an answer now: whatever a file or another machine's clock says,
 * an answer is used only while its age is within the step's own times.
 */
export const capped = (
  entry: Entry,
  keeping: {readonly freshFor: Milliseconds; readonly keepFor: Milliseconds},
): Entry => ({
  ...entry,
  freshUntil: Math.min(entry.freshUntil, entry.readAt + keeping.freshFor) as WallTime,
  expiresAt: Math.min(entry.expiresAt, entry.readAt + keeping.keepFor) as WallTime,
});

/**
 * Where an entry stands now. An age below zero means that a clock was wrong when it was written or is wrong now: then
 * nothing is known of its age, and it counts as missing.
 */
export const entryState = (entry: Entry, clock: Clock): 'fresh' | 'stale' | 'missing' => {
  const now = clock.wall();
  if (now < entry.readAt - skew || now >= entry.expiresAt || entry.freshUntil < entry.readAt) return 'missing';
  return now < entry.freshUntil ? 'fresh' : 'stale';
};
