import {BaseCommand} from '../base-command.js';
import {examine} from '../client/doctor.js';
import {findDirectories} from '../config/directories.js';
import type {DoctorFinding} from '../model/inspection.js';
import {doctorText} from '../views/doctor.js';

export default class Doctor extends BaseCommand {
  static override summary = 'Say whether bootcut is in the path of your launches, and what stands in its way.';
  static override description =
    'Looks at the command, its directories, the configuration, the daemon, the programs it uses, the plugins and the newest launches, as seen from this directory and environment. Changes nothing and does not start the daemon. Exit status 1 when there is a fault.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<{readonly findings: readonly DoctorFinding[]}> {
    await this.parse(Doctor);
    // Not our own: its report says what had to be passed over.
    const findings = await examine(findDirectories(process.env));
    this.log(doctorText(findings));
    if (findings.some(({state}) => state === 'fault')) process.exitCode = 1;
    return {findings};
  }
}
