import {BaseCommand} from '../../base-command.js';
import {listStandbys} from '../../client/standby.js';
import type {StandbyState} from '../../protocol/asks.js';
import {standbyList} from '../../views/standby.js';

export default class StandbyList extends BaseCommand {
  static override summary = 'List the VMs that the daemon keeps booted.';
  static override description =
    'Used: how many of the standbys of a place a launch has taken. Where three in a row went unused, no more are kept until launches come more often than the setting standby.keep. Never starts the daemon.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<{readonly standbys: readonly StandbyState[]}> {
    await this.parse(StandbyList);
    const standbys = this.unwrap(await listStandbys(this.directories));
    this.log(standbyList(standbys));
    return {standbys};
  }
}
