import {agentVmDescription, LaunchCommand} from '../launch-command.js';

export default class Shell extends LaunchCommand {
  static override summary = 'Open a shell, or run a command, in an agent-vm microVM.';
  static override description = agentVmDescription(
    'What agent-vm would look up before it boots is answered from the cache where its release allows that.',
  );
  static override usage = 'shell [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'A shell in a VM for this directory', command: '<%= config.bin %> shell'},
    {description: 'One command in it', command: '<%= config.bin %> shell -- make test'},
    {description: 'Without the stored answers', command: '<%= config.bin %> shell --no-cache'},
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
