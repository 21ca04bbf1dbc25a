import * as Flags from '@oclif/core/flags';
import {temperatures, warm} from './bench/bench-plan.js';
import {readPlanFile} from './bench/plan-file.js';
import type {WrittenPlan, WrittenVariant} from './bench/written-plan.js';
import {parseDuration, splitList} from './config/settings.js';
import {done, failed, type Result} from './model/failure.js';
import {parseCommand} from './readiness/parse-condition.js';

/** Fields of a variant that have a flag of the same name; the other two are its argument and what stands after `--`. */
type VariantField = Exclude<keyof WrittenVariant, 'name' | 'command'>;

/** Flags that say how a variant is launched; after --vs they say how it differs from the first one. */
export const variantFlags = {
  env: Flags.string({
    char: 'e',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'NAME[=VALUE]',
    description: 'set a variable; without = take it out',
    helpGroup: 'VARIANT',
  }),
  cwd: Flags.string({helpValue: 'DIR', description: 'where to start it', helpGroup: 'VARIANT'}),
  prepare: Flags.string({
    helpValue: 'COMMAND',
    description: 'run before each run, outside of its time: words, or a JSON list',
    helpGroup: 'VARIANT',
  }),
  cleanup: Flags.string({helpValue: 'COMMAND', description: 'run after each run', helpGroup: 'VARIANT'}),
  temperature: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    options: [warm, ...temperatures],
    description:
      'bring this about before each run: stop the daemon, clear its answers, boot a standby for the launch to take, drop the page cache (root only); absent: warm, as the run before left it',
    helpGroup: 'VARIANT',
  }),
  verb: Flags.string({helpValue: 'VERB', description: "launch it with 'bootcut VERB'", helpGroup: 'VARIANT'}),
  runtime: Flags.string({
    helpValue: 'NAME',
    description: 'launch it through bootcut with this runtime',
    helpGroup: 'VARIANT',
  }),
  memory: Flags.string({
    helpValue: 'SIZE',
    description: 'memory of the VM, as its runtime takes it (--memory)',
    helpGroup: 'VARIANT',
  }),
  with: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'NAMES',
    description: 'launch it through bootcut with these plugins or steps',
    helpGroup: 'VARIANT',
  }),
  without: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'NAMES',
    description: 'launch it through bootcut without these',
    helpGroup: 'VARIANT',
  }),
} as const satisfies Readonly<Record<VariantField, unknown>>;

/** Flags of the whole bench. */
export const benchFlags = {
  rounds: Flags.integer({char: 'n', helpValue: 'N', description: 'rounds, each with every variant once; default 12'}),
  warmup: Flags.integer({helpValue: 'N', description: 'runs of each variant before that, not counted; default 1'}),
  seed: Flags.integer({helpValue: 'N', description: 'draw this order again; default: a new one, which is kept'}),
  until: Flags.string({
    char: 'u',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: '[NAME=]CONDITION',
    description: 'the run is over when all of these are true',
  }),
  mark: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: '[NAME=]CONDITION',
    description: 'note when this comes true; nobody waits for it',
  }),
  endpoint: Flags.string({
    helpValue: 'NAME',
    description: 'the milestone to rank by; default: the condition, ready where there are several, else exit',
  }),
  base: Flags.string({helpValue: 'NAME', description: 'the variant to compare with; default: the first'}),
  limit: Flags.string({helpValue: 'DURATION', description: 'a run that takes longer has failed; default 60s'}),
  grace: Flags.string({helpValue: 'DURATION', description: 'time to end after SIGTERM, before SIGKILL; default 2s'}),
  threads: Flags.boolean({
    default: false,
    description: 'sample the processor time of every thread between milestones (Linux)',
  }),
  title: Flags.string({helpValue: 'TEXT', description: 'what to call this bench'}),
  file: Flags.string({
    char: 'f',
    helpValue: 'FILE',
    description: 'take the bench from a JSON file; flags go before what it says',
  }),
  under: Flags.string({helpValue: 'FILE', description: "run under this text, registered with 'bench register'"}),
  timelines: Flags.string({helpValue: 'DIR', description: 'write a TSV of the milestones of every run'}),
  'allow-failures': Flags.boolean({default: false, description: 'exit with 0 although runs failed'}),
} as const;

interface Segment {
  /** Flags and name. */
  readonly tokens: readonly string[];
  /** What stands after `--`; undefined without one. */
  readonly command: readonly string[] | undefined;
}

/** The command line cut at each `--vs`; in each piece the command begins after the first `--`. */
export const splitVariants = (argv: readonly string[]): readonly [Segment, ...Segment[]] => {
  const pieces: string[][] = [[]];
  for (const token of argv) {
    if (token === '--vs') pieces.push([]);
    else pieces.at(-1)?.push(token);
  }
  const [first = [], ...others] = pieces;
  return [segment(first), ...others.map(segment)];
};

const segment = (piece: readonly string[]): Segment => {
  const dashes = piece.indexOf('--');
  return dashes < 0
    ? {tokens: piece, command: undefined}
    : {tokens: piece.slice(0, dashes), command: piece.slice(dashes + 1)};
};

/** What was parsed of `variantFlags`. */
type ParsedVariant = {
  readonly [Field in VariantField]?: string | readonly string[] | undefined;
};

type Reader<T> = (values: readonly string[], flag: string) => Result<T>;

const one: Reader<string | undefined> = ([text]) => done(text);
const many: Reader<readonly string[]> = (values) => done(values);
const names: Reader<readonly string[]> = (values) => done(values.flatMap(splitList));
const words: Reader<readonly string[]> = ([text = ''], flag) => parseCommand(text, flag);

const variables: Reader<Readonly<Record<string, string | null>>> = (values, flag) => {
  const nameless = values.find((text) => text === '' || text.startsWith('='));
  if (nameless === undefined) return done(Object.fromEntries(values.map(variable)));
  return failed({
    reason: 'bad-argument',
    detail: `--${flag}: '${nameless}' names no variable. Write --${flag} NAME=VALUE, or --${flag} NAME to take it out.`,
  });
};

/** How each flag's values are read. */
const readers: {readonly [Field in VariantField]: Reader<WrittenVariant[Field]>} = {
  env: variables,
  cwd: one,
  prepare: words,
  cleanup: words,
  temperature: many,
  verb: one,
  runtime: one,
  memory: one,
  with: names,
  without: names,
};

/** A variant from its name, its flags and its command; or what is wrong with the first flag that cannot be read. */
export const writtenVariant = (
  name: string | undefined,
  flags: ParsedVariant,
  command: readonly string[] | undefined,
): Result<WrittenVariant> => {
  const given: Partial<Record<VariantField, unknown>> = {};
  for (const field of Object.keys(readers) as VariantField[]) {
    const values = flags[field];
    if (values === undefined) continue;
    const read = readers[field]([values].flat(), field);
    if (!read.ok) return read;
    given[field] = read.value;
  }
  return done({name, command, ...given} as WrittenVariant);
};

const variable = (text: string): readonly [string, string | null] => {
  const at = text.indexOf('=');
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
};

/** Flags of the whole bench that stand behind a `--vs`, where only the variant's own count. */
export const misplacedFlag = (tokens: readonly string[]): string | undefined =>
  Object.entries<{readonly char?: string}>(benchFlags)
    .flatMap(([name, {char}]) => [`--${name}`, ...(char === undefined ? [] : [`-${char}`])])
    .find((flag) => tokens.some((token) => token === flag || token.startsWith(`${flag}=`)));

/** Is there a `--json` for us: in any piece, before its command? */
export const asksForJson = (argv: readonly string[]): boolean =>
  splitVariants(argv).some(({tokens}) => tokens.includes('--json'));

/** What was parsed of `benchFlags`. */
export interface ParsedBench {
  readonly rounds?: number | undefined;
  readonly warmup?: number | undefined;
  readonly seed?: number | undefined;
  readonly until?: readonly string[] | undefined;
  readonly mark?: readonly string[] | undefined;
  readonly endpoint?: string | undefined;
  readonly base?: string | undefined;
  readonly limit?: string | undefined;
  readonly grace?: string | undefined;
  readonly threads: boolean;
  readonly title?: string | undefined;
  readonly file?: string | undefined;
}

/** Flags and variants as a written bench; `fromFile`: the command line names no variant, so the file's count. */
export const writtenPlan = (
  flags: ParsedBench,
  variants: readonly WrittenVariant[],
  fromFile: boolean,
  registered: WrittenPlan | undefined,
): Result<WrittenPlan> => {
  const file = flags.file === undefined ? done(registered) : readPlanFile(flags.file);
  if (!file.ok) return file;
  const durations = [flags.limit, flags.grace].map((text) => (text === undefined ? undefined : parseDuration(text)));
  const [limitMs, graceMs] = durations;
  if ((flags.limit !== undefined && limitMs === undefined) || (flags.grace !== undefined && graceMs === undefined)) {
    return failed({reason: 'bad-argument', detail: 'A limit must be a duration such as 250ms, 4s or 10m.'});
  }
  const said = file.value;
  return done({
    title: flags.title ?? said?.title,
    variants: fromFile ? (said?.variants ?? []) : variants,
    base: flags.base ?? said?.base,
    rounds: flags.rounds ?? said?.rounds,
    warmups: flags.warmup ?? said?.warmups,
    seed: flags.seed ?? said?.seed,
    until: flags.until ?? said?.until,
    marks: flags.mark ?? said?.marks,
    endpoint: flags.endpoint ?? said?.endpoint,
    limitMs: limitMs ?? said?.limitMs,
    graceMs: graceMs ?? said?.graceMs,
    threads: flags.threads || said?.threads,
  });
};
