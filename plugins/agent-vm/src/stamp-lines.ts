import type {Moment, Observation, ObservedLine} from 'bootcut/plugin';

/** When each of agent-vm's lines came; absent ones did not. */
export interface Stamps {
  readonly session: Moment | undefined;
  /** The notice of a newer image, when it came before the repositories. */
  readonly banner: Moment | undefined;
  readonly repos: Moment | undefined;
  /** The credentials had been read by then; only some launches say it. */
  readonly secrets: Moment | undefined;
  readonly identity: Moment | undefined;
  readonly booting: Moment | undefined;
  readonly running: Moment | undefined;
  readonly stopping: Moment | undefined;
  /** The plain lines that only agent-vm can have written: from the boot notice to the start of the user's command. */
  readonly bootLines: readonly ObservedLine[];
  /** The same from the last "Stopping sandbox" on. */
  readonly endLines: readonly ObservedLine[];
}

/**
 * Finds agent-vm's own lines. Each is looked for only behind the one before it, and between the start of the user's
 * command and the last "Stopping sandbox" nothing is believed: the guest writes to the same stream there.
 */
export const stampLines = ({lines}: Observation): Stamps => {
  const clean = lines.map(({at, text}) => ({at, text: plainText(text)}));
  const end = firstIndex(clean, 0, (text) => /^==> (?:Attaching to|Running) /.test(text));
  const before = end < 0 ? clean : clean.slice(0, end);
  const behind = end < 0 ? [] : clean.slice(end + 1);
  const session = firstIndex(before, 0, (text) => text.startsWith('==> agent-vm-'));
  const repos = firstIndex(before, session + 1, (text) => text.startsWith('==> GitHub repo scope'));
  const identity = firstIndex(before, repos + 1, (text) => text.startsWith('==> Git author identity'));
  const booting = firstIndex(before, identity + 1, (text) => text.startsWith('==> Booting sandbox from'));
  const stopping = behind.findLastIndex(({text}) => text === '==> Stopping sandbox');
  return {
    session: before[session]?.at,
    banner: between(before, [session, repos], '==> Run `agent-vm pull`'),
    repos: before[repos]?.at,
    secrets: between(before, [repos, identity], '==> OpenCode API keys'),
    identity: before[identity]?.at,
    booting: before[booting]?.at,
    running: clean[end]?.at,
    stopping: behind[stopping]?.at,
    bootLines: booting < 0 ? [] : before.slice(booting + 1),
    endLines: stopping < 0 ? [] : behind.slice(stopping + 1),
  };
};

/** A line without what terminals are told: colours, and the carriage return of raw mode. */
export const plainText = (text: string): string => text.replace(escapes, '').replace(/[\r\n]/g, '');

const [escape, bell] = [String.fromCharCode(0x1b), String.fromCharCode(0x07)];

/** CSI (colours, cursor), OSC (titles, links), and the two-character ones. */
const escapes = new RegExp(
  `${escape}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escape}]*(?:${bell}|${escape}\\\\)|[@-Z\\\\-_])`,
  'g',
);

/** Index of the first line from `start` that fits, or -1. */
const firstIndex = (lines: readonly ObservedLine[], start: number, fits: (text: string) => boolean): number =>
  lines.findIndex(({text}, index) => index >= start && fits(text));

const between = (
  lines: readonly ObservedLine[],
  [from, to]: readonly [number, number],
  start: string,
): Moment | undefined => lines.slice(from + 1, Math.max(to, 0)).find(({text}) => text.startsWith(start))?.at;
