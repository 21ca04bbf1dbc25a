import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../../base-command.js';
import {type CreatedPlugin, createPlugin} from '../../client/create-plugin.js';
import {createdPluginText} from '../../views/created-plugin.js';

export default class PluginsCreate extends BaseCommand {
  static override summary = 'Make a new plugin, with a test.';
  static override description =
    'Writes a small package of plain JavaScript that works as it is: a cached look-up, its tests, and how to go on. Needs no network. An existing directory is never written to.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> toolchain',
    '<%= config.bin %> <%= command.id %> toolchain --directory ~/src/bootcut-toolchain',
  ];
  static override args = {name: Args.string({required: true, description: 'name of the plugin'})};
  static override flags = {
    directory: Flags.directory({
      description: 'where to make it; default: a directory of its name, here',
      helpValue: 'DIR',
    }),
  };

  async run(): Promise<CreatedPlugin> {
    const {args, flags} = await this.parse(PluginsCreate);
    const plugin = this.unwrap(createPlugin(args.name, flags.directory ?? args.name));
    this.log(createdPluginText(plugin));
    return plugin;
  }
}
