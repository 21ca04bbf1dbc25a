import {agentVmDescription, LaunchCommand} from '../launch-command.js';

export default class Opencode extends LaunchCommand {
  static override summary = 'Run OpenCode in an agent-vm microVM.';
  static override description = agentVmDescription(
    'What agent-vm would look up before it boots is answered from the cache where its release allows that.',
  );
  static override usage = 'opencode [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'OpenCode in a VM for this directory', command: '<%= config.bin %> opencode'},
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
