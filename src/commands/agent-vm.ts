import {LaunchCommand, launchDescription} from '../launch-command.js';

export default class AgentVm extends LaunchCommand {
  static override summary = 'Run any command of agent-vm.';
  static override description = launchDescription(
    "What follows is agent-vm's own command line, --help included; our flags stand before it.",
  );
  static override usage = 'agent-vm [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: "agent-vm's own help", command: '<%= config.bin %> agent-vm --help'},
    {description: 'The flags of its shell', command: '<%= config.bin %> agent-vm shell --help'},
    {description: 'A shell in a VM', command: '<%= config.bin %> agent-vm shell'},
  ];
}
