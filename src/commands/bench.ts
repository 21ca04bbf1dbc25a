import {accessSync, constants, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as Args from '@oclif/core/args';
import type {BenchPlan} from '../bench/bench-plan.js';
import {roundsNeeded} from '../bench/judge.js';
import {newResult} from '../bench/keep.js';
import {makePlan} from '../bench/make-plan.js';
import {readRegisteredText} from '../bench/register.js';
import type {BenchReport} from '../bench/report.js';
import type {BenchResult, Registered} from '../bench/result.js';
import {runBench} from '../bench/run-bench.js';
import {runTsv} from '../bench/run-tsv.js';
import {BenchCommand} from '../bench-command.js';
import {
  asksForJson,
  benchFlags,
  misplacedFlag,
  splitVariants,
  variantFlags,
  writtenPlan,
  writtenVariant,
} from '../bench-flags.js';
import {checkLaunchable} from '../client/check-launchable.js';
import {findDirectories} from '../config/directories.js';
import {makeDirectory} from '../system/make-directory.js';
import {benchProgressLine} from '../views/bench-progress.js';
import {benchText} from '../views/bench-report.js';
import {count, failureView} from '../views/failure.js';

/** What a shell says of a program that Ctrl-C ended. */
const interruptedStatus = 130;

export default class Bench extends BenchCommand {
  static override summary = 'Compare variants of a launch, fairly.';
  static override description =
    'Runs the variants in turn, each round in a shuffled order of its own, and says whether one is faster. The clock starts just before a target is started and stops when it ends, or when everything after --until has come true; then the target is ended. The first variant is the base; each --vs names another and says only how it differs: another command after --, or flags. There is no shell in between: write sh -c yourself where you want one.\n\n' +
    'Conditions (--until, --mark; a name of its own in front: ready=port:8080): port:PORT or port:/SOCKET, http://HOST:PORT/PATH [status=2xx] [body=/REGEX/], log:TEXT or log:/REGEX/, stdout:…, stderr:…, logfile:PATH:/REGEX/, file:PATH, exec:COMMAND, settled:output|timeline|URL|screen [quiet=2s] [top=5], screen: [region=WxH+X+Y] [title=/REGEX/] [picture=FILE.ppm]; port:@FILE and http:@FILE/PATH take the address from a file. A port that something else holds is never ready.\n\n' +
    'A target may tell milestones of its own: a line NAME, or NAME, a tab and JSON, appended to the file that BOOTCUT_TIMELINE names.\n\n' +
    "Verdicts: faster, slower, no difference shown, not enough data (fewer than 8 rounds cannot give one, and more variants need a few more: it says how many). Two equal variants are told apart in at most one bench of a hundred. Runs that fail or do not settle are shown and counted in no figure, and make the exit status 1. Every bench is kept, also one ended by Ctrl-C (status 130): 'bootcut bench list'. What --json answers and what is kept is described by schemas/bench.schema.json in the package.";
  static override usage = 'bench [FLAGS] [NAME] -- COMMAND… [--vs NAME [FLAGS] [-- COMMAND…]]…';
  static override strict = false;
  static override args = {name: Args.string({description: 'name of the first variant, the base; A when absent'})};
  static override flags = {...benchFlags, ...variantFlags};
  static override examples = [
    {
      description: 'Two commands to their end, 12 rounds',
      command: '<%= config.bin %> bench node -- node -e 0 --vs jitless -- node --jitless -e 0',
    },
    {
      description: 'One server with and without a variable, until it answers',
      command:
        '<%= config.bin %> bench --until http://localhost:3000/ plain -- node server.js --vs cached --env NODE_COMPILE_CACHE=/tmp/cc',
    },
    {
      description: 'Listening and healthy as two milestones, ranked by the second',
      command:
        '<%= config.bin %> bench -n 20 --until bound=port:8080 --until healthy=http://localhost:8080/health --endpoint healthy before -- ./old --vs after -- ./new',
    },
    {
      description: 'What a plugin costs a launch, everything cold',
      command:
        '<%= config.bin %> bench --temperature daemon-cold --temperature cache-cold with --with git-identity -- true --vs without --without git-identity',
    },
    {
      description: 'What a VM that has booted already is worth; a launch that did not take it is not counted',
      command:
        '<%= config.bin %> bench --temperature standby-warm kept --runtime qemu -- true --vs booted --temperature warm --without standby',
    },
    {
      description: 'From a file, under a registered text',
      command: '<%= config.bin %> bench --file bench.json --under startup.md',
    },
  ];

  /** The whole of it: each parse leaves its own piece in `argv`. */
  readonly #line: readonly string[] = [...this.argv];

  /** oclif knows one `--` only. */
  override jsonEnabled(): boolean {
    return super.jsonEnabled() || asksForJson(this.#line);
  }

  async run(): Promise<BenchReport> {
    const {plan, title, registered, options} = await this.#plan();
    await this.#checkNames(plan);
    this.#warnOfFewRounds(plan);
    const store = this.store;
    const interrupt = new AbortController();
    const onSignal = (): void => interrupt.abort();
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
    let result = newResult(plan, title, registered, store.ids()[0]);
    store.save(result);
    const runs = await runBench(plan, {
      onProgress: (progress) => this.#say(benchProgressLine(progress)),
      onRun: (so) => {
        result = {...result, runs: [...so]};
        store.save(result);
      },
      interrupted: interrupt.signal,
    });
    this.#say('');
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    result = {...result, runs, state: interrupt.signal.aborted ? 'interrupted' : 'complete'};
    store.save(result);
    if (options.timelines !== undefined) writeTimelines(options.timelines, result);
    const report = this.reportOf(result);
    this.log(benchText(report));
    this.#leave(report, interrupt.signal.aborted, options.allowFailures);
    return report;
  }

  async #plan(): Promise<Planned> {
    const [first, ...others] = splitVariants(this.#line);
    const common = {args: Bench.args, strict: true, enableJsonFlag: true};
    const {flags, args} = await this.parse({...common, flags: {...benchFlags, ...variantFlags}}, [...first.tokens]);
    const variants = [this.unwrap(writtenVariant(args.name, flags, first.command))];
    for (const {tokens, command} of others) {
      const misplaced = misplacedFlag(tokens);
      if (misplaced !== undefined) {
        const detail = `${misplaced} is for the whole bench: put it before the first --vs.`;
        return this.fail({reason: 'bad-argument', detail});
      }
      const parsed = await this.parse({...common, flags: variantFlags}, [...tokens]);
      variants.push(this.unwrap(writtenVariant(parsed.args.name, parsed.flags, command)));
    }
    const under = flags.under === undefined ? undefined : this.unwrap(this.registrations.under(flags.under));
    const text = under === undefined ? undefined : this.unwrap(readRegisteredText(under.text, under.file));
    const bare = first.command === undefined && others.length === 0;
    const written = this.unwrap(writtenPlan(flags, variants, bare, text?.bench));
    const plan = this.unwrap(makePlan(written, process.cwd(), process.geteuid?.() === 0));
    const title = written.title?.trim() || plan.variants.map(({name}) => name).join(' against ');
    if (flags.timelines !== undefined) this.#makeDirectory(flags.timelines);
    const registered =
      under === undefined ? undefined : {id: under.id, hash: under.hash, registeredAt: under.at, commit: under.commit};
    return {plan, title, registered, options: {allowFailures: flags['allow-failures'], timelines: flags.timelines}};
  }

  /** Before anything runs, and as each variant's own environment has it: there its plugins and recipes are. */
  async #checkNames({variants}: BenchPlan): Promise<void> {
    for (const {env, through} of variants) {
      if (through === undefined) continue;
      const kept = Object.entries({...process.env, ...env}).filter(([, value]) => value !== null);
      const directories = findDirectories(Object.fromEntries(kept) as NodeJS.ProcessEnv);
      this.unwrap(await checkLaunchable(directories, through));
    }
  }

  /** To a person, who may still think better of it; in the report it stands anyhow. */
  #warnOfFewRounds({variants, rounds}: BenchPlan): void {
    const needed = roundsNeeded(variants.length - 1);
    if (!process.stderr.isTTY || variants.length < 2 || needed === null || rounds >= needed) return;
    process.stderr.write(`bootcut bench: ${count(rounds, 'round')} cannot give a verdict; ${needed} can.\n`);
  }

  /** Before anything runs: what cannot be written afterwards would cost the whole bench. */
  #makeDirectory(path: string): void {
    try {
      makeDirectory(path);
      accessSync(path, constants.W_OK);
    } catch (error) {
      this.fail({
        reason: 'bad-argument',
        detail: `--timelines: ${path} cannot be written to: ${(error as Error).message}`,
      });
    }
  }

  /** On a terminal's last line, over what stood there. */
  #say(line: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  }

  #leave({notOk, result}: BenchReport, interrupted: boolean, allowFailures: boolean): void {
    if (interrupted) process.exitCode = interruptedStatus;
    if (interrupted || notOk.length === 0 || allowFailures) return;
    const {message, exit} = failureView({reason: 'runs-failed', failed: notOk.length, total: result.runs.length});
    process.stderr.write(`bootcut bench: ${message}\n`);
    process.exitCode = exit;
  }
}

interface Planned {
  readonly plan: BenchPlan;
  readonly title: string;
  readonly registered: Registered | undefined;
  readonly options: Options;
}

interface Options {
  readonly allowFailures: boolean;
  readonly timelines: string | undefined;
}

const writeTimelines = (directory: string, result: BenchResult): void => {
  for (const run of result.runs) {
    const name = `${String(run.round).padStart(3, '0')}-${run.variant.replace(/[^\w.-]/g, '_')}.tsv`;
    writeFileSync(join(directory, name), runTsv(run));
  }
};
