import {BaseCommand} from '../../base-command.js';
import {configFile} from '../../config/settings.js';

export default class ConfigPath extends BaseCommand {
  static override summary = 'Show where the configuration file is, or would be.';
  static override description = 'The file is JSON, with the names that config list shows; it need not exist.';
  static override examples = ['$EDITOR "$(<%= config.bin %> <%= command.id %>)"'];

  async run(): Promise<{readonly path: string}> {
    await this.parse(ConfigPath);
    const path = configFile(this.directories.config);
    this.log(path);
    return {path};
  }
}
