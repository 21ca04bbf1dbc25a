import {BaseCommand} from './base-command.js';
import {BenchStore} from './bench/bench-store.js';
import {makeReport} from './bench/make-report.js';
import {RegistrationStore, readRegisteredText} from './bench/register.js';
import type {BenchReport} from './bench/report.js';
import type {BenchResult} from './bench/result.js';

/** What the bench commands share: the store, and output that may be long. */
export abstract class BenchCommand extends BaseCommand {
  /** Said again: oclif's manifest stops looking for inherited properties at a class without any of its own. */
  static override enableJsonFlag = true;

  get store(): BenchStore {
    return new BenchStore(this.#state);
  }

  get registrations(): RegistrationStore {
    return new RegistrationStore(this.#state);
  }

  /** The report of a bench, with the predictions it ran under. */
  reportOf(result: BenchResult): BenchReport {
    const text = result.registered === undefined ? undefined : this.registrations.find(result.registered.id)?.text;
    const registered = text === undefined ? undefined : readRegisteredText(text, 'the registered text');
    return makeReport(result, registered?.ok === true ? registered.value : undefined);
  }

  get #state(): string {
    const {state, complaint} = this.directories;
    return state ?? this.fail({reason: 'no-state-directory', complaint: complaint ?? ''});
  }

  /** A reader may take its time: oclif gives up ten seconds after it wrote, and what the pipe has not taken is lost. */
  protected override async _run<T>(): Promise<T> {
    const result = await super._run<T>();
    await new Promise((resolve) => process.stdout.write('', resolve));
    return result;
  }
}
