import {join} from 'node:path';
import * as Flags from '@oclif/core/flags';
import {BaseCommand} from './base-command.js';
import {settleRecords} from './client/settle-records.js';
import {done, failed, type Result} from './model/failure.js';
import type {LaunchRecord} from './model/record.js';
import {groupOf, type LaunchFilter, parseFilter} from './profile/launch-filter.js';
import {RecordLog} from './record/record-log.js';

/** `--where`, for every command that picks launches. */
export const whereFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  helpValue: 'KEY=VALUE',
  description:
    'Only launches that fit: verb, target, runtime, version, build, front, via, temperature, outcome, cwd. May be repeated.',
});

/** What the commands about launches on record share. */
export abstract class ProfileCommand extends BaseCommand {
  // Said again: oclif looks through the classes above a command only as far as each has something of its own to say.
  static override enableJsonFlag = true;

  /** The records of the state directory, with every launch that has ended by now. They are only read. */
  async openRecords(): Promise<RecordLog> {
    return new RecordLog(join(await this.settledState(), 'records'));
  }

  /** The state directory, once the daemon has written down there what has ended. */
  protected async settledState(): Promise<string> {
    const {directories} = this;
    const {state, complaint} = directories;
    if (state === undefined) return this.fail({reason: 'no-state-directory', complaint: complaint ?? ''});
    await settleRecords(directories);
    return state;
  }

  filterOf(items: readonly string[] | undefined): LaunchFilter {
    const parsed = parseFilter(items ?? []);
    return parsed.ok ? parsed.value : this.fail({reason: 'bad-argument', detail: parsed.detail});
  }

  /** Text for people; with `--json` oclif writes what `run` returns instead. Not `log`, for which `%` is a place to fill. */
  print(text: string): void {
    if (!this.jsonEnabled()) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** A reader may take its time: oclif gives up ten seconds after it wrote, and what the pipe has not taken is lost. */
  protected override async _run<T>(): Promise<T> {
    const result = await super._run<T>();
    await new Promise((resolve) => process.stdout.write('', resolve));
    return result;
  }
}

/** The launch that is named, or the newest that fit. */
export const selectLaunches = (
  log: RecordLog,
  wanted: {readonly launch: string | undefined; readonly last: number | undefined; readonly filter: LaunchFilter},
): Result<readonly LaunchRecord[]> => {
  const {launch, last, filter} = wanted;
  const isFiltered = Object.keys(filter).length > 0;
  if (launch !== undefined) {
    if (last !== undefined || isFiltered) {
      return failed({reason: 'bad-argument', detail: 'Name a launch or pick launches with flags, not both.'});
    }
    const found = log.find(launch);
    return found === undefined ? failed({reason: 'unknown-launch', launch}) : done([found]);
  }
  const newest = isFiltered ? log.newestOf(filter, last ?? 1) : log.newest(last ?? 1);
  if (newest.length > 0) return done(newest);
  return failed(isFiltered ? {reason: 'no-such-launches', filter: filterWords(filter)} : {reason: 'no-launches'});
};

/** `temperature=warm, target=true`. */
export const filterWords = (filter: LaunchFilter): string =>
  Object.entries(filter)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(', ');

/** The filter that was asked for, or the group of the launch that ended last. */
export const groupFilter = (log: RecordLog, asked: LaunchFilter): Result<LaunchFilter> => {
  if (Object.keys(asked).length > 0) return done(asked);
  const [newest] = log.rows({}, 1);
  return newest === undefined ? failed({reason: 'no-launches'}) : done(groupOf(newest));
};
