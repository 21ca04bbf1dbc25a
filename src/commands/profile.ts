import {join} from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../base-command.js';
import {done, failed, type Result} from '../model/failure.js';
import type {LaunchRecord} from '../model/record.js';
import type {LaunchProfile} from '../profile/launch-profile.js';
import {profileLaunch} from '../profile/profile-launch.js';
import {RecordLog} from '../record/record-log.js';
import {profileList} from '../views/profile-list.js';
import {profileText} from '../views/profile-text.js';

/** `profile --json`; `schemas/profile.schema.json` describes it. */
export interface ProfileJson {
  readonly launches: readonly LaunchProfile[];
}

export default class Profile extends BaseCommand {
  static override summary = 'Show where the time of a launch went.';
  static override description =
    'Reads the records on disk; neither needs the daemon nor starts it. Without arguments: the launch that ended last. ' +
    'The phases and the unattributed rest add up to the time from the exec of bootcut to the end of the command; steps ' +
    'run beside one another and are never summed. The text is Markdown. With --json, an object with the key launches, ' +
    'described by schemas/profile.schema.json in the package: times in milliseconds, text as it was recorded.';
  static override examples = [
    {description: 'The launch that ended last', command: '<%= config.bin %> <%= command.id %>'},
    {
      description: 'One line for each of the newest ten, newest first',
      command: '<%= config.bin %> <%= command.id %> --last 10',
    },
    {
      description: 'The launch whose id ends in 3KXVP7, for a program',
      command: '<%= config.bin %> <%= command.id %> 3KXVP7 --json',
    },
  ];
  static override args = {
    launch: Args.string({description: "A launch's id, or the end of it; where several fit, the newest."}),
  };
  static override flags = {
    last: Flags.integer({description: 'Show this many of the newest launches.', min: 1, helpValue: 'N'}),
  };

  async run(): Promise<ProfileJson> {
    const {args, flags} = await this.parse(Profile);
    const {state, complaint} = this.directories;
    if (state === undefined) return this.fail({reason: 'no-state-directory', complaint: complaint ?? ''});
    const records = this.unwrap(select(new RecordLog(join(state, 'records')), args.launch, flags.last));
    const launches = records.map(profileLaunch);
    if (!this.jsonEnabled()) this.log(asText(launches));
    return {launches};
  }

  /** A reader may take its time: oclif gives up ten seconds after it wrote, and what the pipe has not taken is lost. */
  protected override async _run<T>(): Promise<T> {
    const result = await super._run<T>();
    await new Promise((resolve) => process.stdout.write('', resolve));
    return result;
  }
}

const select = (
  log: RecordLog,
  launch: string | undefined,
  last: number | undefined,
): Result<readonly LaunchRecord[]> => {
  if (launch !== undefined && last !== undefined) {
    return failed({reason: 'bad-argument', detail: 'Name a launch or give --last, not both.'});
  }
  if (launch !== undefined) {
    const found = log.find(launch);
    return found === undefined ? failed({reason: 'unknown-launch', launch}) : done([found]);
  }
  const newest = log.newest(last ?? 1);
  return newest.length === 0 ? failed({reason: 'no-launches'}) : done(newest);
};

const asText = (launches: readonly LaunchProfile[]): string => {
  const [only] = launches;
  return launches.length === 1 && only !== undefined ? profileText(only) : profileList(launches);
};
