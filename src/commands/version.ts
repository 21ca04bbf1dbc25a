import {BaseCommand} from '../base-command.js';
import {buildId} from '../system/build-id.js';

interface Version {
  readonly version: string;
  readonly build: string;
  readonly node: string;
  readonly platform: string;
}

export default class VersionCommand extends BaseCommand {
  static override summary = 'Show the version of bootcut, its build, and what it runs on.';
  static override description = 'The build is what the daemon and the commands compare with each other.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run(): Promise<Version> {
    await this.parse(VersionCommand);
    const {version} = this.config;
    const platform = `${process.platform}-${process.arch}`;
    this.log(`bootcut ${version} (build ${buildId}), node ${process.version}, ${platform}`);
    return {version, build: buildId, node: process.version, platform};
  }
}
