import {BaseCommand} from './base-command.js';
import {BenchStore} from './bench/bench-store.js';

/** What the bench commands share: the store, and output that may be long. */
export abstract class BenchCommand extends BaseCommand {
  get store(): BenchStore {
    const {state, complaint} = this.directories;
    if (state === undefined) return this.fail({reason: 'no-state-directory', complaint: complaint ?? ''});
    return new BenchStore(state);
  }

  /** A reader may take its time: oclif gives up ten seconds after it wrote, and what the pipe has not taken is lost. */
  protected override async _run<T>(): Promise<T> {
    const result = await super._run<T>();
    await new Promise((resolve) => process.stdout.write('', resolve));
    return result;
  }
}
