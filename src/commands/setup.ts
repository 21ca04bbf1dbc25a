import {LaunchCommand, launchDescription} from '../launch-command.js';

export default class Setup extends LaunchCommand {
  static override summary = 'Set agent-vm up.';
  static override description = launchDescription(
    'The line is handed to agent-vm as it is, --help included; our flags stand before it.',
  );
  static override usage = 'setup [FLAGS] [ARGUMENT…]';
  static override examples = [{description: 'What it can do', command: '<%= config.bin %> setup --help'}];
}
