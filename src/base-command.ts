import {Command} from '@oclif/core/command';
import {type Directories, findDirectories} from './config/directories.js';
import type {Failure, Result} from './model/failure.js';
import {visible} from './system/visible.js';
import {failureView} from './views/failure.js';

/** What every command shares: `--json`, failures in words, and our directories. */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;

  #directories: Directories | undefined;

  /** Found once. Where one had to be passed over, stderr says so: a list may be empty because it is another directory's. */
  get directories(): Directories {
    if (this.#directories === undefined) {
      this.#directories = findDirectories(process.env);
      const {state, misplaced} = this.#directories;
      if (state !== undefined) for (const line of misplaced) process.stderr.write(`bootcut: ${visible(line)}\n`);
    }
    return this.#directories;
  }

  /** The value of a result; a failure ends the command with its words and its exit status. */
  unwrap<T>(result: Result<T>): T {
    if (result.ok) return result.value;
    return this.fail(result.failure);
  }

  fail(failure: Failure): never {
    const {message, suggestions, exit} = failureView(failure);
    this.error(message, {code: failure.reason, exit, suggestions: [...suggestions]});
  }

  /** With `--json` oclif would end every failure with 1. */
  protected override async catch(error: Error & {readonly oclif?: {readonly exit?: number}}): Promise<void> {
    process.exitCode ??= error.oclif?.exit;
    await super.catch(error);
  }

  /** `--json` answers failures as `{"error": {...}}` on stdout too, so that a script always gets one document. */
  protected override toErrorJson(
    error: Error & {readonly code?: string; readonly suggestions?: readonly string[]},
  ): unknown {
    return {error: {reason: error.code ?? 'error', message: error.message, suggestions: error.suggestions ?? []}};
  }
}
