import * as v from 'valibot';
import type {Json} from '../model/json.js';
import type {Clock} from '../system/clock.js';
import type {Milliseconds, WallTime} from '../model/units.js';

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

const json: v.GenericSchema<Json> = v.lazy(() =>
  v.union([v.null(), v.boolean(), v.number(), v.string(), v.array(json), v.record(v.string(), json)]),
);

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
 * Where an entry stands now. An age below zero means that a clock was wrong when it was written or is wrong now: then
 * nothing is known of its age, and it counts as missing.
 */
export const entryState = (entry: Entry, clock: Clock): 'fresh' | 'stale' | 'missing' => {
  const now = clock.wall();
  if (now < entry.readAt - skew || now >= entry.expiresAt || entry.freshUntil < entry.readAt) return 'missing';
  return now < entry.freshUntil ? 'fresh' : 'stale';
};
