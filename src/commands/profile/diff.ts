import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {type Comparison, compareLaunches, type NamedLaunches} from '../../profile/compare-launches.js';
import type {LaunchFilter} from '../../profile/launch-filter.js';
import {profileLaunch} from '../../profile/profile-launch.js';
import {ProfileCommand, selectLaunches, whereFlag} from '../../profile-command.js';
import type {RecordLog} from '../../record/record-log.js';
import {diffText} from '../../views/profile-diff.js';

export default class ProfileDiff extends ProfileCommand {
  static override summary = 'Compare two launches, or two groups of launches, phase by phase and step by step.';
  static override description =
    'A and B are ids (or their ends), or KEY=VALUE with commas between for a group: verb, target, runtime, version, ' +
    'build, front, via, temperature, outcome, cwd. Groups are shown by their medians and by the shift between them ' +
    "(Hodges and Lehmann's, with its 95 % interval); with fewer than 5 launches on a side nothing is said. Launches on " +
    'record were not made in turns: bench does that. Exit status 1 when a side has no launches.';
  static override examples = [
    {description: 'Two launches', command: '<%= config.bin %> <%= command.id %> 3KXVP7 9QF2ZC'},
    {
      description: 'What the cache is worth for one target',
      command: '<%= config.bin %> <%= command.id %> temperature=warm temperature=cold --where target=make',
    },
    {
      description: 'Two releases of a runtime, for a program',
      command: '<%= config.bin %> <%= command.id %> version=0.1.13 version=0.1.14 --where temperature=warm --json',
    },
  ];
  static override args = {
    a: Args.string({description: 'A launch, or KEY=VALUE for a group.', required: true}),
    b: Args.string({description: 'Another one.', required: true}),
  };
  static override flags = {
    last: Flags.integer({
      description: 'Take this many of the newest of a group.',
      min: 1,
      max: 1000,
      default: 100,
      helpValue: 'N',
    }),
    where: whereFlag,
  };

  async run(): Promise<Comparison> {
    const {args, flags} = await this.parse(ProfileDiff);
    const both = this.filterOf(flags.where);
    const log = await this.openRecords();
    const side = (text: string): NamedLaunches => this.side(log, text, {where: flags.where, last: flags.last, both});
    const comparison = compareLaunches(side(args.a), side(args.b));
    this.print(diffText(comparison));
    return comparison;
  }

  private side(
    log: RecordLog,
    text: string,
    {
      where,
      last,
      both,
    }: {readonly where: readonly string[] | undefined; readonly last: number; readonly both: LaunchFilter},
  ): NamedLaunches {
    const isGroup = text.includes('=');
    const filter = isGroup ? this.filterOf([...(where ?? []), text]) : both;
    const wanted = isGroup ? {launch: undefined, last, filter} : {launch: text, last: undefined, filter: {}};
    const records = this.unwrap(selectLaunches(log, wanted));
    return {name: isGroup ? text : (records[0]?.id ?? text), launches: records.map(profileLaunch)};
  }
}
