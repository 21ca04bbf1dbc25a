import {Command} from '@oclif/core/command';
import {launchFlags} from './launch-flags.js';

/**
 * A launch verb as oclif knows it: for help and completion. Launches themselves go past oclif, straight to the front; one
 * that comes this way all the same ends up there too.
 */
export abstract class LaunchCommand extends Command {
  static override strict = false;
  static override flags = launchFlags;

  async run(): Promise<void> {
    const {runFront} = await import('./client/front.js');
    await runFront([this.id ?? '', ...this.argv]);
  }
}

const exitStatus = `Exit status: that of the command. 2: the command line makes no sense. 125: bootcut itself cannot launch, because a required step has no answer or the VM tool is missing. 126: the command cannot be executed. 127: there is no such command. 128 + n: ended by signal n.`;

/** The description of a verb whose flags are ours up to the command, and the tool's from there. */
export const launchDescription = (text: string): string => `${text}\n\n${exitStatus}`;

/** For verbs of agent-vm. */
export const agentVmDescription = (text: string): string =>
  launchDescription(
    `${text} Our own flags stand between the verb and the command; every other flag is agent-vm's own and reaches it unchanged: 'bootcut agent-vm shell --help' shows those.`,
  );
