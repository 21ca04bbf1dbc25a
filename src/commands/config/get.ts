import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {getSetting, type ShownSetting} from '../../config/shown-settings.js';
import {settingText} from '../../views/settings.js';

export default class ConfigGet extends BaseCommand {
  static override summary = 'Show the value of a setting.';
  static override description = 'The value in force here: from the environment, the file, or the default.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> budget',
    '<%= config.bin %> <%= command.id %> plugins.agent-vm.path',
  ];
  static override args = {name: Args.string({required: true, description: 'name of the setting'})};

  async run(): Promise<ShownSetting> {
    const {args} = await this.parse(ConfigGet);
    const setting = this.unwrap(getSetting(this.directories.config, process.env, args.name));
    this.log(settingText(setting.value));
    return setting;
  }
}
