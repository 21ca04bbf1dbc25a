import * as Args from '@oclif/core/args';
import type {Registration} from '../../bench/register.js';
import {BenchCommand} from '../../bench-command.js';

export default class BenchRegister extends BenchCommand {
  static override summary = 'Register predictions before anything is measured.';
  static override description =
    'Keeps the text with its hash, the time and the commit. The text is Markdown with a block ```json that holds "predictions": each with of (a milestone, or a part such as \'bound → healthy\'), what (median, difference or share), from, to, variant and a named culprit; "actAbove" (0.2: what takes more than 20 % of its total is acted on, the rest is left); and, if wanted, the "bench" itself as in --file. \'bootcut bench --under FILE\' then runs under it, refuses a text that was edited since, and sets predictions against results.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> PREREGISTRATION.md',
    '<%= config.bin %> bench --under PREREGISTRATION.md',
  ];
  static override args = {file: Args.string({required: true, description: 'the text'})};

  async run(): Promise<Omit<Registration, 'text'>> {
    const {args} = await this.parse(BenchRegister);
    const {text: _, ...registration} = this.unwrap(this.registrations.register(args.file));
    this.log(
      `Registered ${args.file} as ${registration.id}: sha256 ${registration.hash.slice(0, 12)}, commit ${registration.commit?.slice(0, 12) ?? 'none'}.`,
    );
    return registration;
  }
}
