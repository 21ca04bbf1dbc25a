import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {hookShells, standbyHook} from '../../views/standby-hook.js';

export default class StandbyHook extends BaseCommand {
  static override summary = 'Print shell lines that have things ready when you change to a project.';
  static override description =
    'For people who want the first launch in a project to be as quick as the next ones: a VM is booted, and programs that were launched there are expected (setting expect). Put them into the start-up file of your shell; nothing is changed by this command. The budget and the rule of the standbys hold all the same.';
  static override examples = [
    'eval "$(<%= config.bin %> <%= command.id %> bash)"',
    '<%= config.bin %> <%= command.id %> fish | source',
  ];
  static override args = {
    shell: Args.string({required: true, options: [...hookShells], description: 'the shell whose language to speak'}),
  };

  async run(): Promise<{readonly lines: string}> {
    const {args} = await this.parse(StandbyHook);
    const lines = standbyHook[args.shell as keyof typeof standbyHook];
    this.log(lines.trimEnd());
    return {lines};
  }
}
