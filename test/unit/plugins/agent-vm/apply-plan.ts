import {chmod, mkdir, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import type {Launch, PlanEdit} from 'bootcut/plugin';

/** A plan carried out as far as starting goes. */
export interface Applied {
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Record<string, string>;
}

/** Carries out the edits of a plan as the engine does: files, environment, argument list. */
export const applyPlan = async (launch: Launch, edits: readonly PlanEdit[]): Promise<Applied> => {
  const env = {...launch.env};
  const inserted = new Map<number, readonly string[]>();
  const removed = new Set<number>();
  let prefix: readonly string[] = [];
  let file = launch.argv[0] ?? '';
  for (const edit of edits) {
    if (edit.kind === 'insert-args') inserted.set(edit.at, [...(inserted.get(edit.at) ?? []), ...edit.args]);
    if (edit.kind === 'remove-args') for (let at = edit.at; at < edit.at + edit.count; at += 1) removed.add(at);
    if (edit.kind === 'prefix-args') prefix = edit.args;
    if (edit.kind === 'executable') file = edit.path;
    if (edit.kind === 'set-env') env[edit.name] = edit.value;
    if (edit.kind === 'prepend-path') env[edit.name] = `${edit.value}:${env[edit.name] ?? ''}`;
    if (edit.kind === 'write-file') await write(edit.path, edit.text, edit.mode ?? 0o600);
  }
  const own = [...launch.argv, undefined].flatMap((item, index) => [
    ...(inserted.get(index) ?? []),
    ...(item === undefined || removed.has(index) ? [] : [item]),
  ]);
  return {file, argv: [...prefix, ...own], env};
};

const write = async (path: string, text: string, mode: number): Promise<void> => {
  await mkdir(dirname(path), {recursive: true, mode: 0o700});
  await writeFile(path, text);
  await chmod(path, mode);
};
