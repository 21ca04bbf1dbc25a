import {agentVmDescription, LaunchCommand} from '../launch-command.js';

export default class Claude extends LaunchCommand {
  static override summary = 'Run Claude Code in an agent-vm microVM.';
  static override description = agentVmDescription(
    'What agent-vm would look up before it boots is answered from the cache where its release allows that.',
  );
  static override usage = 'claude [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'Claude Code in a VM for this directory', command: '<%= config.bin %> claude'},
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
