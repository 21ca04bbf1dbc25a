import {constants} from 'node:os';
import type {Plan} from '../model/plan.js';
import type {EntryState} from './entry-state.js';

/** What to hand to `spawn`. */
export interface TargetCommand {
  readonly file: string;
  readonly argv0: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** The name a person knows the target by. */
  readonly name: string;
}

/**
 * The target's command from the caller's own bytes and the plan's edits. Node hands on text only; where the caller's bytes
 * are not UTF-8, a signal was ignored or a standard descriptor closed, a shell puts it right and replaces itself.
 */
export const targetCommand = (plan: Plan, entry: EntryState): TargetCommand => {
  const argv = plan.argv.flatMap((piece) =>
    piece.kind === 'literal' ? [Buffer.from(piece.text)] : entry.argv.slice(piece.from, piece.to),
  );
  const env = editEnvironment(entry.env, plan);
  const [first = Buffer.alloc(0), ...rest] = argv;
  const name = first.toString('utf8');
  const file = plan.executable ?? name;
  const script = repairs(argv, env, entry);
  const record = environmentRecord(env);
  if (script === '') return {file, argv0: name, args: rest.map((arg) => arg.toString('utf8')), env: record, name};
  const words = [plan.executable === undefined ? first : Buffer.from(plan.executable), ...rest];
  return {file: '/bin/sh', argv0: 'sh', args: ['-c', shellScript(words, script), 'sh'], env: record, name};
};

const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8')).equals(bytes);

/** Shell lines that restore what Node cannot hand on; empty when there is nothing to restore. */
const repairs = (argv: readonly Buffer[], env: readonly Buffer[], entry: EntryState): string => {
  const ignored = entry.ignoredSignals.map(signalName).filter((name) => name !== undefined);
  const rawVariables = env.filter((item) => !isText(item));
  const lines = [
    ...(ignored.length === 0 ? [] : [`trap '' ${ignored.join(' ')}`]),
    ...rawVariables.flatMap((item) => exportLine(item)),
    ...entry.closed.map((descriptor) => `exec ${descriptor}>&-`),
  ];
  return lines.length === 0 && argv.every(isText) ? '' : lines.join('\n') || ':';
};

const signalName = (number: number): string | undefined =>
  Object.entries(constants.signals)
    .find(([, value]) => value === number)?.[0]
    ?.slice(3);

const exportLine = (item: Buffer): readonly string[] => {
  const at = item.indexOf(0x3d);
  const name = item.toString('latin1', 0, at);
  return /^[A-Za-z_]\w*$/.test(name)
    ? [`${rawAssignment('v', item.subarray(at + 1))}; export ${name}="$v"; unset v`]
    : [];
};

const shellScript = (words: readonly Buffer[], script: string): string =>
  [
    'set --',
    ...words.map((word) =>
      isText(word)
        ? `set -- "$@" ${quoted(word.toString('utf8'))}`
        : `${rawAssignment('w', word)}; set -- "$@" "$w"; unset w`,
    ),
    script,
    'exec "$@"',
  ].join('\n');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A closing dot keeps command substitution from eating newlines at the end. */
const rawAssignment = (name: string, bytes: Buffer): string => {
  const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return `${name}=$(printf '${octal}.'); ${name}=\${${name}%.}`;
};

const editEnvironment = (items: readonly Buffer[], plan: Plan): readonly Buffer[] => {
  let env = [...items];
  const named = (name: string) => (item: Buffer) => item.toString('latin1').startsWith(`${name}=`);
  for (const edit of plan.env) {
    const old = env.find(named(edit.name));
    env = env.filter((item) => !named(edit.name)(item));
    if (edit.kind === 'set') env.push(Buffer.from(`${edit.name}=${edit.value}`));
    if (edit.kind === 'prepend') {
      const rest = old?.subarray(edit.name.length + 1);
      const head = Buffer.from(`${edit.name}=${edit.value}`);
      env.push(rest === undefined ? head : Buffer.concat([head, Buffer.from(':'), rest]));
    }
  }
  return env;
};

const environmentRecord = (items: readonly Buffer[]): Record<string, string> =>
  Object.fromEntries(
    items.filter(isText).flatMap((item) => {
      const text = item.toString('utf8');
      const at = text.indexOf('=');
      return at < 1 ? [] : [[text.slice(0, at), text.slice(at + 1)] as const];
    }),
  );
