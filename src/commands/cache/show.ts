import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {findAnswers} from '../../client/stored-answers.js';
import type {StoredAnswer} from '../../model/inspection.js';
import {answerDetails} from '../../views/cache.js';

export default class CacheShow extends BaseCommand {
  static override summary = 'Show a stored answer.';
  static override description =
    'Secrets are never stored, so none can show. What a terminal would act upon shows as escapes; --json has the text as it is.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> git-identity/github',
    '<%= config.bin %> <%= command.id %> 1f2e3d4c --json',
  ];
  static override args = {
    answer: Args.string({required: true, description: "a step, a plugin, or the key that 'cache list' shows"}),
  };

  async run(): Promise<{readonly answers: readonly StoredAnswer[]}> {
    const {args} = await this.parse(CacheShow);
    const answers = this.unwrap(await findAnswers(this.directories, args.answer));
    this.log(answerDetails(answers));
    return {answers};
  }
}
