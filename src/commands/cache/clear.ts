import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {clearAnswers} from '../../client/stored-answers.js';
import {clearedText} from '../../views/cache.js';

export default class CacheClear extends BaseCommand {
  static override summary = 'Forget stored answers and remembered failures.';
  static override description = 'The next launch that needs a forgotten answer asks again, and waits for it.';
  static override examples = [
    {description: 'Everything', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'What one plugin stored', command: '<%= config.bin %> <%= command.id %> github-repos'},
    {description: 'One step', command: '<%= config.bin %> <%= command.id %> git-identity/github'},
  ];
  static override args = {step: Args.string({description: 'a step or a plugin; without it, everything is cleared'})};

  async run(): Promise<{readonly cleared: number}> {
    const {args} = await this.parse(CacheClear);
    const result = this.unwrap(await clearAnswers(this.directories, args.step));
    this.log(clearedText(result.cleared));
    return result;
  }
}
