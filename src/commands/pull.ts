import {LaunchCommand, launchDescription} from '../launch-command.js';

export default class Pull extends LaunchCommand {
  static override summary = 'Pull the image of agent-vm.';
  static override description = launchDescription(
    'The line is handed to agent-vm as it is, --help included; our flags stand before it.',
  );
  static override usage = 'pull [FLAGS] [ARGUMENT…]';
  static override examples = [{description: 'The newest image', command: '<%= config.bin %> pull'}];
}
