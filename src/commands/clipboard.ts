import {LaunchCommand, launchDescription} from '../launch-command.js';

export default class Clipboard extends LaunchCommand {
  static override summary = "Use agent-vm's clipboard bridge.";
  static override description = launchDescription(
    'The line is handed to agent-vm as it is, --help included; our flags stand before it.',
  );
  static override usage = 'clipboard [FLAGS] [ARGUMENT…]';
  static override examples = [{description: 'What it can do', command: '<%= config.bin %> clipboard --help'}];
}
