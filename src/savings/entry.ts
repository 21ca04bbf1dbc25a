import * as v from 'valibot';

/** Which way a launch went: with the optimization or, to have something to compare with, without. */
export type Arm = 'used' | 'held-back';

/** Where a launch was timed to, from the start of its target: when it was ready (`--until`), or its end with status 0. */
export type Endpoint = 'ready' | 'ended';

/** What is known of whether an optimization pays for a subject. */
export type Standing =
  /** Launches with and without it alternate until one of the others can be said. */
  | 'trial'
  | 'pays'
  /** It was tried for long enough and no gain worth having came out. */
  | 'no gain'
  | 'slower';

const texts = {name: v.string(), label: v.string(), prepared: v.string()};
const time = v.pipe(v.number(), v.finite(), v.minValue(0));

const entrySchema = v.variant('kind', [
  /** Begins anew: what stands above is about an earlier preparation. */
  v.object({kind: v.literal('about'), v: v.literal(1), ...texts}),
  v.object({
    kind: v.literal('launch'),
    at: time,
    arm: v.picklist(['used', 'held-back']),
    /** Drawn in a block of two, one of each. */
    trial: v.boolean(),
    endpoint: v.picklist(['ready', 'ended']),
    /** Milliseconds. */
    took: time,
  }),
  v.object({
    kind: v.literal('standing'),
    at: time,
    standing: v.picklist(['pays', 'no gain', 'slower']),
    /** From how many pairs. */
    pairs: v.number(),
  }),
  v.object({
    kind: v.literal('preparation'),
    at: time,
    took: time,
    /** Processor time of the programs it ran, milliseconds; absent where the system does not tell. */
    processor: v.optional(time),
    bytes: v.optional(time),
    detail: v.optional(v.string()),
    /** Why it did not work. */
    failure: v.optional(v.string()),
  }),
  /** Warmed up ahead of a launch that was expected. */
  v.object({
    kind: v.literal('expected'),
    at: time,
    /** Did the launch come? */
    came: v.boolean(),
    /** What the warm-up says it has done, by its own names: files, bytes, connections. */
    counts: v.record(v.string(), time),
  }),
  /** What a person wants; `auto` goes by the standing again. */
  v.object({kind: v.literal('switch'), at: time, to: v.picklist(['on', 'off', 'auto'])}),
]);

/** One line of a subject's ledger. Times are wall clock milliseconds. */
export type LedgerEntry = Readonly<v.InferOutput<typeof entrySchema>>;

export type LaunchEntry = Extract<LedgerEntry, {kind: 'launch'}>;
export type ExpectedEntry = Extract<LedgerEntry, {kind: 'expected'}>;
export type PreparationEntry = Extract<LedgerEntry, {kind: 'preparation'}>;

/** An entry from its line, undefined for anything that is none: a torn line costs only itself. */
export const parseEntry = (line: string): LedgerEntry | undefined => {
  try {
    const parsed = v.safeParse(entrySchema, JSON.parse(line));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
};
