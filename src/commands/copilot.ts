import {agentVmDescription, LaunchCommand} from '../launch-command.js';

export default class Copilot extends LaunchCommand {
  static override summary = 'Run Copilot in an agent-vm microVM.';
  static override description = agentVmDescription(
    'What agent-vm would look up before it boots is answered from the cache where its release allows that.',
  );
  static override usage = 'copilot [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'Copilot in a VM for this directory', command: '<%= config.bin %> copilot'},
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
