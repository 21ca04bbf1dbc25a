import {LaunchCommand, launchDescription} from '../launch-command.js';

export default class Run extends LaunchCommand {
  static override summary = 'Run a program, and keep a profile of its start.';
  static override description = launchDescription(
    'The program sees what it would see without us: its arguments, environment, descriptors, terminal and signals. A command that begins with a dash stands after --.',
  );
  static override usage = 'run [FLAGS] [--] COMMAND [ARGUMENT…]';
  static override examples = [
    {description: 'A program with its arguments', command: '<%= config.bin %> run make test'},
    {
      description: 'With the answers of a plugin, and what it waited for',
      command: '<%= config.bin %> run --with git-identity --verbose -- git commit',
    },
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
