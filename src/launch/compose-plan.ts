import {mkdirSync} from 'node:fs';
import {dirname} from 'node:path';
import type {ArgvPiece, EnvEdit, Plan, PlanEdit} from '../model/plan.js';
import type {LaunchId} from '../model/units.js';
import {atomicWrite} from '../system/atomic-write.js';
import {visible} from '../system/visible.js';

/** What the edits are applied to. */
export interface PlanInput {
  readonly launchId: LaunchId;
  /** Positions in the command line that make up the target's argument list. */
  readonly kept: readonly number[];
  readonly edits: readonly PlanEdit[];
  /** Lines for the user before the target starts. */
  readonly notices: readonly string[];
  readonly observe: boolean;
}

/** Edits to a plan: positions and new text only, never the caller's own bytes. */
export const composePlan = ({launchId, kept, edits, notices, observe}: PlanInput): Plan => {
  const executable = lastOf(edits, 'executable')?.path;
  const refusal = lastOf(edits, 'refuse');
  return {
    launchId,
    argv: argvPieces(kept, edits),
    env: edits.flatMap(envEdit),
    observe: observe
      ? [...new Set(edits.flatMap((edit) => (edit.kind === 'observe-stderr' ? edit.prefixes : [])))]
      : [],
    ...(executable === undefined ? {} : {executable}),
    ...(notices.length === 0 ? {} : {notice: notices.map(noticeLine).join('')}),
    ...(refusal === undefined ? {} : {refusal: {text: noticeLine(refusal.text), status: refusal.status}}),
  };
};

/** The plan of a launch that must not start. */
export const refusalPlan = ({text, status}: {readonly text: string; readonly status: number}): Plan => ({
  launchId: '' as LaunchId,
  argv: [],
  env: [],
  observe: [],
  refusal: {text: noticeLine(text), status},
});

/** Writes the host files of the plan; returns a note for each that could not be written. */
export const writePlanFiles = (edits: readonly PlanEdit[]): readonly string[] =>
  edits.flatMap((edit) => {
    if (edit.kind !== 'write-file') return [];
    try {
      mkdirSync(dirname(edit.path), {recursive: true, mode: 0o700});
      atomicWrite(edit.path, edit.text, {mode: edit.mode ?? 0o600, sync: false});
      return [];
    } catch (error) {
      return [`${edit.path} could not be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`];
    }
  });

const argvPieces = (kept: readonly number[], edits: readonly PlanEdit[]): readonly ArgvPiece[] => {
  const pieces: ArgvPiece[] = [];
  const literal = (texts: readonly string[]): void => {
    for (const text of texts) pieces.push({kind: 'literal', text});
  };
  for (const edit of edits) if (edit.kind === 'prefix-args') literal(edit.args);
  for (let index = 0; index <= kept.length; index += 1) {
    for (const edit of edits) if (edit.kind === 'insert-args' && edit.at === index) literal(edit.args);
    const position = kept[index];
    if (position !== undefined && !isRemoved(edits, index)) keep(pieces, position);
  }
  return pieces;
};

const isRemoved = (edits: readonly PlanEdit[], index: number): boolean =>
  edits.some((edit) => edit.kind === 'remove-args' && edit.at <= index && index < edit.at + edit.count);

/** Neighbours become one piece. */
const keep = (pieces: ArgvPiece[], position: number): void => {
  const last = pieces.at(-1);
  if (last?.kind === 'keep' && last.to === position) pieces[pieces.length - 1] = {...last, to: position + 1};
  else pieces.push({kind: 'keep', from: position, to: position + 1});
};

const envEdit = (edit: PlanEdit): readonly EnvEdit[] => {
  switch (edit.kind) {
    case 'set-env':
      return [{kind: 'set', name: edit.name, value: edit.value}];
    case 'unset-env':
      return [{kind: 'unset', name: edit.name}];
    case 'prepend-path':
      return [{kind: 'prepend', name: edit.name, value: edit.value}];
    default:
      return [];
  }
};

const lastOf = <K extends PlanEdit['kind']>(
  edits: readonly PlanEdit[],
  kind: K,
): Extract<PlanEdit, {kind: K}> | undefined =>
  edits.filter((edit): edit is Extract<PlanEdit, {kind: K}> => edit.kind === kind).at(-1);

const noticeLine = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${visible(line)}\n`)
    .join('');
