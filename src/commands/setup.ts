import {LaunchCommand, launchDescription} from '../launch-command.js';

export default class Setup extends LaunchCommand {
  static override summary = 'Set agent-vm up, or with --runtime qemu the guest of our own microVM.';
  static override description = launchDescription(
    'The line is handed to agent-vm as it is, --help included; our flags stand before it. With --runtime qemu it prepares kernel and initramfs: --kernel debian (default; at a terminal it then offers to build the small one), --kernel small (built here in about five minutes, boots in a third of the time) or --kernel PATH; --yes answers questions.',
  );
  static override usage = 'setup [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'What agent-vm can do', command: '<%= config.bin %> setup --help'},
    {description: 'A guest for our own microVM', command: '<%= config.bin %> setup --runtime qemu'},
    {
      description: 'With the kernel that boots quickest',
      command: '<%= config.bin %> setup --runtime qemu --kernel small',
    },
  ];
}
