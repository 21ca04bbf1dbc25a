import {agentVmDescription, LaunchCommand} from '../launch-command.js';

export default class Codex extends LaunchCommand {
  static override summary = 'Run Codex in an agent-vm microVM.';
  static override description = agentVmDescription(
    'What agent-vm would look up before it boots is answered from the cache where its release allows that.',
  );
  static override usage = 'codex [FLAGS] [ARGUMENT…]';
  static override examples = [
    {description: 'Codex in a VM for this directory', command: '<%= config.bin %> codex'},
    {description: 'Where the time went', command: '<%= config.bin %> profile'},
  ];
}
