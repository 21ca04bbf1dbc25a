import * as Args from '@oclif/core/args';
import {BaseCommand} from '../base-command.js';
import {inspectCallersLaunch} from '../client/inspect-caller.js';
import {launchFlags, launchFlagTokens} from '../launch-flags.js';
import type {InspectedLaunch} from '../model/inspection.js';
import {inspectedLaunchText} from '../views/steps.js';

export default class Steps extends BaseCommand {
  static override summary = 'Show which steps a launch from here would run, and what is stored for them.';
  static override description =
    'Looks with this directory and environment, as the launch would, but asks nothing and starts nothing. The command after -- matters only to steps that look at it. Exit status 1 when a plugin cannot be used, or --with or --without names what is not there.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> shell --without github-repos',
    '<%= config.bin %> <%= command.id %> run -- make test',
  ];
  static override args = {
    verb: Args.string({default: 'run', description: 'launch verb: run, shell, claude, …'}),
  };
  static override flags = launchFlags;
  static override usage = 'steps [VERB] [FLAGS] [-- COMMAND…]';

  async run(): Promise<InspectedLaunch> {
    const dashes = this.argv.indexOf('--');
    const [before, command] = dashes < 0 ? [this.argv, []] : [this.argv.slice(0, dashes), this.argv.slice(dashes + 1)];
    const {args, flags} = await this.parse(Steps, before);
    const target = command.length === 0 && args.verb === 'run' ? ['true'] : command;
    const tokens = [args.verb, ...launchFlagTokens(flags), ...(args.verb === 'run' ? ['--'] : []), ...target];
    const launch = this.unwrap(await inspectCallersLaunch(this.directories, tokens));
    this.log(inspectedLaunchText(launch));
    if (launch.faults.length > 0 || launch.steps.some(({fate}) => fate.kind === 'broken')) process.exitCode = 1;
    return launch;
  }
}
