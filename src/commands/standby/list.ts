import {listStandbys} from '../../client/standby.js';
import {type BootFormRow, bootForms} from '../../profile/boot-form.js';
import {ProfileCommand} from '../../profile-command.js';
import type {StandbyState} from '../../protocol/asks.js';
import {standbyReport} from '../../views/standby.js';

/** Launches that are looked at for what each form takes. */
const newest = 1000;

export default class StandbyList extends ProfileCommand {
  // Said again: oclif looks through the classes above a command only as far as each has something of its own to say.
  static override enableJsonFlag = true;
  static override summary = 'List the VMs that the daemon keeps booted, and what launches with and without one took.';
  static override description =
    'A paused one holds memory and is there in milliseconds. Where the setting standby.memory has no room for it, it is saved to disk instead, and the next launch is restored from that. Used: how many of the standbys of a place a launch has taken. Where three in a row went unused, no more are kept until launches come more often than the setting standby.keep. Never starts the daemon.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<{readonly standbys: readonly StandbyState[]; readonly forms: readonly BootFormRow[]}> {
    await this.parse(StandbyList);
    const standbys = this.unwrap(await listStandbys(this.directories));
    const forms = this.directories.state === undefined ? [] : bootForms((await this.openRecords()).newest(newest));
    this.log(standbyReport(standbys, forms));
    return {standbys, forms};
  }
}
