import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type {LaunchProfile} from '../../profile/launch-profile.js';
import {profileLaunch} from '../../profile/profile-launch.js';
import {ProfileCommand, selectLaunches, whereFlag} from '../../profile-command.js';
import {profileList} from '../../views/profile-list.js';
import {profileText} from '../../views/profile-text.js';

/** `profile --json`; `schemas/profile.schema.json` describes it. */
export interface ProfileJson {
  readonly launches: readonly LaunchProfile[];
}

export default class Profile extends ProfileCommand {
  static override summary = 'Show where the time of a launch went.';
  static override description =
    'Reads the records on disk; neither needs the daemon nor starts it, but one that runs writes down first what has just ended. Without arguments: the launch that ended last. ' +
    'The phases and the unattributed rest add up to the time from the exec of bootcut to the end of the command; steps ' +
    'run beside one another and are never summed. The text is Markdown. With --json, an object with the key launches, ' +
    'described by schemas/profile.schema.json in the package: times in milliseconds, text as it was recorded. ' +
    '--format trace is for Perfetto and chrome://tracing, tsv for a spreadsheet (columns keep their order; \\t, \\n and ' +
    '\\\\ in a name are written so), svg one waterfall, html one page that loads nothing: waterfall, steps, history, A against B.';
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
    {
      description: 'A page to show around',
      command: '<%= config.bin %> <%= command.id %> --format html > profile.html',
    },
    {
      description: 'The newest cold launches, to look at in Perfetto',
      command: '<%= config.bin %> <%= command.id %> --where temperature=cold --last 5 --format trace > trace.json',
    },
  ];
  static override args = {
    launch: Args.string({description: "A launch's id, or the end of it; where several fit, the newest."}),
  };
  static override flags = {
    last: Flags.integer({description: 'Show this many of the newest launches.', min: 1, helpValue: 'N'}),
    where: whereFlag,
    format: Flags.string({
      description: 'How to show them. svg and html show one launch.',
      options: ['table', 'json', 'tsv', 'trace', 'html', 'svg'],
      default: 'table',
    }),
    a: Flags.string({
      description: "First group of the page's A against B, as --where with commas; without: warm launches.",
      helpValue: 'KEY=VALUE',
    }),
    b: Flags.string({
      description: 'Second group; without: cold launches.',
      helpValue: 'KEY=VALUE',
    }),
  };

  async run(): Promise<ProfileJson> {
    const {args, flags} = await this.parse(Profile);
    const {format, last} = flags;
    if ((flags.a !== undefined || flags.b !== undefined) && format !== 'html') {
      return this.fail({reason: 'bad-argument', detail: '--a and --b are for --format html.'});
    }
    if (last !== undefined && last > 1 && (format === 'svg' || format === 'html')) {
      return this.fail({reason: 'bad-argument', detail: `--format ${format} shows one launch: leave --last out.`});
    }
    const filter = this.filterOf(flags.where);
    const log = await this.openRecords();
    const records = this.unwrap(selectLaunches(log, {launch: args.launch, last, filter}));
    const launches = records.map(profileLaunch);
    if (!this.jsonEnabled()) {
      const [newest] = records;
      const text =
        format === 'html' && newest !== undefined
          ? await (await import('../../profile-report.js')).reportText(log, newest, {
              a: flags.a === undefined ? undefined : this.filterOf([flags.a]),
              b: flags.b === undefined ? undefined : this.filterOf([flags.b]),
            })
          : await inFormat(format, launches);
      this.print(text);
    }
    return {launches};
  }
}

/** What a format does not need is not loaded: the table is what most come for. */
const inFormat = async (format: string, launches: readonly LaunchProfile[]): Promise<string> => {
  const [only] = launches;
  switch (format) {
    case 'json':
      return JSON.stringify({launches}, null, 2);
    case 'tsv':
      return (await import('../../views/profile-tsv.js')).profileTsv(launches);
    case 'trace':
      return (await import('../../views/profile-trace.js')).profileTrace(launches);
    case 'svg':
      return only === undefined ? '' : (await import('../../views/profile-svg.js')).profileSvg(only);
    default:
      return launches.length === 1 && only !== undefined ? profileText(only) : profileList(launches);
  }
};
