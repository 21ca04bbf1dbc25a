import {BaseCommand} from '../../base-command.js';
import {listAnswers} from '../../client/stored-answers.js';
import type {StoredAnswer} from '../../model/inspection.js';
import {answerList} from '../../views/cache.js';

export default class CacheList extends BaseCommand {
  static override summary = 'List the stored answers to look-ups.';
  static override description =
    'Reads the disk; neither needs the daemon nor starts it. State: fresh, stale (used now, refreshed behind), expired, or changed (a file the answer depends on is another one now).';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<{readonly answers: readonly StoredAnswer[]}> {
    await this.parse(CacheList);
    const answers = await listAnswers(this.directories);
    this.log(answerList(answers));
    return {answers};
  }
}
