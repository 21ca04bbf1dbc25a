import * as Args from '@oclif/core/args';
import {BaseCommand} from '../../base-command.js';
import {setSetting} from '../../config/write-settings.js';
import type {Json} from '../../model/json.js';
import {settingText} from '../../views/settings.js';

export default class ConfigSet extends BaseCommand {
  static override summary = 'Change a setting in the configuration file.';
  static override description =
    'A file that cannot be understood is never overwritten. Values of plugins are taken as JSON where they are JSON, else as text.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> budget 2s',
    '<%= config.bin %> <%= command.id %> without update-check,github-repos',
    '<%= config.bin %> <%= command.id %> plugins.agent-vm.path ~/bin/agent-vm',
  ];
  static override args = {
    name: Args.string({required: true, description: 'name of the setting'}),
    value: Args.string({required: true, description: 'its new value'}),
  };

  async run(): Promise<{readonly name: string; readonly value: Json}> {
    const {args} = await this.parse(ConfigSet);
    const {value} = this.unwrap(setSetting(this.directories.config, args.name, args.value));
    this.log(`${args.name} is ${settingText(value)} now.`);
    return {name: args.name, value};
  }
}
