import {type ProcessState, processState} from '../system/process-state.js';
import {readLink, readNames, readText} from '../system/soft-reads.js';

interface Entry extends ProcessState {
  readonly pid: number;
}

/**
 * The processes that belong to a started target: its descendants; what is in the session it was started as leader of; what
 * carries its mark in the environment, however often it has forked itself away; and whoever was once seen to be one of
 * these. Linux only: elsewhere it knows the first process alone.
 */
export class ProcessTree {
  readonly root: number;
  readonly #mark: string | undefined;
  readonly #seen = new Map<number, string>();
  /** Processes that do not carry the mark, so that each is read once. */
  #strangers = new Set<string>();

  /** `mark`: a `NAME=value` item that only this target has in its environment. */
  constructor(root: number, mark?: string) {
    this.root = root;
    this.#mark = mark;
    this.#seen.set(root, allProcesses().find(({pid}) => pid === root)?.began ?? '');
  }

  /** Members that have not ended. */
  members(): readonly number[] {
    const entries = allProcesses();
    const members = new Map<number, string>();
    for (let grown = true; grown; ) {
      grown = false;
      for (const entry of entries) {
        if (members.has(entry.pid) || !(members.has(entry.parent) || this.#belongs(entry))) continue;
        members.set(entry.pid, entry.began);
        grown = true;
      }
    }
    this.#seen.clear();
    for (const [pid, began] of members) this.#seen.set(pid, began);
    this.#strangers = new Set(entries.filter(({pid}) => !members.has(pid)).map(keyOf));
    return [...members.keys()];
  }

  /** Which of these sockets a member holds. Who is known is asked first: a walk through all processes takes milliseconds. */
  holderOf(inodes: readonly string[]): string | undefined {
    const among = (pids: Iterable<number>): string | undefined => {
      for (const pid of pids) {
        const held = socketsOf(pid).find((inode) => inodes.includes(inode));
        if (held !== undefined) return held;
      }
      return undefined;
    };
    return among([...this.#seen.keys()]) ?? among(this.members());
  }

  #belongs(entry: Entry): boolean {
    if (entry.session === this.root || this.#seen.get(entry.pid) === entry.began) return true;
    return this.#mark !== undefined && !this.#strangers.has(keyOf(entry)) && carries(entry.pid, this.#mark);
  }
}

const keyOf = ({pid, began}: Entry): string => `${pid}@${began}`;

const allProcesses = (): readonly Entry[] =>
  readNames('/proc').flatMap((name): readonly Entry[] => {
    const state = /^\d+$/.test(name) ? processState(Number(name)) : undefined;
    return state === undefined ? [] : [{pid: Number(name), ...state}];
  });

const carries = (pid: number, mark: string): boolean => {
  const environment = readText(`/proc/${pid}/environ`);
  return environment !== undefined && (environment.startsWith(`${mark}\0`) || environment.includes(`\0${mark}\0`));
};

/** Who holds a socket open, by its inode; our own process is never among them. */
export const ownersOfSocket = (inode: string): readonly number[] =>
  readNames('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    const holds = readNames(`/proc/${name}/fd`).some(
      (fd) => readLink(`/proc/${name}/fd/${fd}`) === `socket:[${inode}]`,
    );
    return holds ? [Number(name)] : [];
  });

/** Inodes of the sockets that a process holds open. */
export const socketsOf = (pid: number): readonly string[] =>
  readNames(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);

/** A process as a person knows it: `node (4711)`. */
export const processName = (pid: number): string => `${readText(`/proc/${pid}/comm`)?.trim() ?? 'process'} (${pid})`;
