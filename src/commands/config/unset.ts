import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {unsetSetting} from '../../config/write-settings.js';

export default class ConfigUnset extends BaseCommand {
  static override summary = 'Remove a setting from the configuration file, so that its default applies.';
  static override description = 'A setting that is not in the file is no failure.';
  static override examples = ['<%= config.bin %> <%= command.id %> budget'];
  static override args = {name: Args.string({required: true, description: 'name of the setting'})};

  async run(): Promise<{readonly name: string; readonly removed: boolean}> {
    const {args} = await this.parse(ConfigUnset);
    const {removed} = this.unwrap(unsetSetting(this.directories.config, args.name));
    this.log(removed ? `${args.name} is removed; the default applies.` : `${args.name} was not in the file.`);
    return {name: args.name, removed};
  }
}
