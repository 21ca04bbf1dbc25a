import {BaseCommand} from '../../base-command.js';
import {listSettings} from '../../config/shown-settings.js';
import {settingList} from '../../views/settings.js';

export default class ConfigList extends BaseCommand {
  static override summary = 'List the settings, their values and where each comes from.';
  static override description =
    "A launch's own flag decides over an environment variable, that over the file, that over the default. What is wrong with the file is said below the list.";
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<ReturnType<typeof listSettings>> {
    await this.parse(ConfigList);
    const listed = listSettings(this.directories.config, process.env);
    this.log(settingList(listed.settings, listed.complaints));
    return listed;
  }
}
