import {agentVmDescription, LaunchCommand} from '../launch-command.js';

export default class Shell extends LaunchCommand {
  static override summary = 'Open a shell, or run a command, in a microVM: agent-vm’s, or our own with --runtime qemu.';
  static override description = agentVmDescription(
    'What agent-vm would look up before it boots is answered from the cache where its release allows that. With --runtime qemu the guest runs the programs of this machine in this project; its flags are --memory, --cpus, --net user, --mount DIR[:GUEST][:ro], --env NAME[=VALUE], --attach and --emulate.',
  );
  static override usage = 'shell [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'A shell in a VM for this directory', command: '<%= config.bin %> shell'},
    {description: 'One command in it', command: '<%= config.bin %> shell -- make test'},
    {
      description: 'One command in a microVM of our own',
      command: '<%= config.bin %> shell --runtime qemu -- make test',
    },
    {description: 'Without the stored answers', command: '<%= config.bin %> shell --no-cache'},
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
