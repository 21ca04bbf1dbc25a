import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {refreshCallersAnswers} from '../../client/inspect-caller.js';
import type {Refreshed} from '../../model/inspection.js';
import {refreshedList} from '../../views/cache.js';
import {sayWhenLong} from '../../views/progress.js';

export default class CacheRefresh extends BaseCommand {
  static override summary = 'Ask again for the answers that launches from here need.';
  static override description =
    'Asks in this process, with this directory and environment, however fresh the stored answers are and whatever failed lately. A failure keeps the stored answer. Exit status 1 when a question got no answer.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> git-identity/github',
  ];
  static override args = {
    step: Args.string({description: 'a step or a plugin; without it, what the launch verbs use in this directory'}),
  };

  async run(): Promise<{readonly refreshed: readonly Refreshed[]}> {
    const {args} = await this.parse(CacheRefresh);
    const done = sayWhenLong('Asking');
    const refreshed = this.unwrap(await refreshCallersAnswers(this.directories, args.step).finally(done));
    this.log(refreshedList(refreshed));
    if (refreshed.some(({ok}) => !ok)) process.exitCode = 1;
    return {refreshed};
  }
}
