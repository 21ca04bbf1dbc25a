import {mkdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Random} from '../bench/random.js';
import {appendTo} from '../system/append-to.js';
import {atomicWrite} from '../system/atomic-write.js';
import {safeFileIdentity} from '../system/file-identity.js';
import {readNames, readPlainFile} from '../system/soft-reads.js';
import {type Account, accountOf, isOn} from './account.js';
import {type Draw, draw} from './draw.js';
import {type Arm, type LedgerEntry, parseEntry} from './entry.js';
import {lookAt} from './judgement.js';

/** A ledger larger than this is written anew with its last launches only; a line has about 90 bytes. */
const fileLimit = 128 * 1024;
const launchesKept = 400;

/** What is asked of an optimization's subject at each launch. */
export interface Subject {
  /** Digest: names the file. */
  readonly digest: string;
  /** `plugin/name`. */
  readonly name: string;
  readonly label: string;
  /** Which preparation is in use; another one is judged anew. */
  readonly prepared: string;
}

interface Known {
  /** Identity of the file when it was read. */
  readonly identity: string;
  readonly entries: readonly LedgerEntry[];
  readonly account: Account | undefined;
}

/**
 * What optimizations save, in a directory of its own: a file of JSON lines for each subject, appended to at the end of each
 * launch. A file that is missing, torn or unreadable counts as empty: then its trial begins anew.
 */
export class Ledger {
  readonly #directory: string;
  readonly #random: Random;
  readonly #known = new Map<string, Known>();
  /** The first half of a block of two that has been drawn, whether or not its launch has ended. */
  readonly #openArms = new Map<string, Arm | undefined>();
  /** Drawn for launches that are expected. */
  readonly #ahead = new Map<string, {readonly prepared: string; readonly drawn: Draw}>();

  constructor(directory: string, random: Random = Math.random) {
    this.#directory = directory;
    this.#random = random;
  }

  /** Draws what a launch does. Reads the subject's file where it has changed, which it does once in a launch. */
  draw(subject: Subject, holdback: number): Draw {
    const account = this.#accountFor(subject);
    const ahead = this.#drawnAhead(subject, account, holdback);
    if (ahead !== undefined) {
      this.#ahead.delete(subject.digest);
      return ahead;
    }
    const openArm = this.#openArms.has(subject.digest) ? this.#openArms.get(subject.digest) : account?.pairs.open?.arm;
    const drawn = draw(account, openArm, holdback, this.#random);
    if (drawn.trial && drawn.arm !== 'switched-off')
      this.#openArms.set(subject.digest, openArm === undefined ? drawn.arm : undefined);
    return drawn;
  }

  /** Draws for the next launch, which is expected: whenever that comes, `draw` says the same. */
  drawAhead(subject: Subject, holdback: number): Draw['arm'] {
    const drawn = this.#drawnAhead(subject, this.#accountFor(subject), holdback) ?? this.draw(subject, holdback);
    this.#ahead.set(subject.digest, {prepared: subject.prepared, drawn});
    return drawn.arm;
  }

  /** What was drawn already, where it still holds: not for another preparation, after a switch, or where nothing is held back. */
  #drawnAhead({digest, prepared}: Subject, account: Account | undefined, holdback: number): Draw | undefined {
    const ahead = this.#ahead.get(digest);
    if (ahead?.prepared !== prepared || (account !== undefined && !isOn(account))) return undefined;
    return holdback === 0 && ahead.drawn.arm === 'held-back' ? undefined : ahead.drawn;
  }

  /** Takes in a launch, and looks whether something can be said now. Throws the file system's error. */
  add(subject: Subject, entry: LedgerEntry): void {
    const before = this.#accountFor(subject);
    const fresh = before === undefined || before.prepared !== subject.prepared;
    const {name, label, prepared} = subject;
    this.#append(subject.digest, [...(fresh ? [{kind: 'about', v: 1, name, label, prepared} as const] : []), entry]);
    if (entry.kind !== 'launch') return;
    const after = this.#accountFor(subject);
    if (after === undefined || after.pairs.rounds.length === (fresh ? 0 : before.pairs.rounds.length)) return;
    const standing = lookAt(after.pairs.rounds, after.standing);
    if (standing === undefined) return;
    this.#append(subject.digest, [{kind: 'standing', at: entry.at, standing, pairs: after.pairs.rounds.length}]);
  }

  /** All accounts, by their digest. */
  accounts(): readonly {readonly digest: string; readonly account: Account}[] {
    return readNames(this.#directory).flatMap((file) => {
      const digest = /^([0-9a-f]{32})\.jsonl$/.exec(file)?.[1];
      const account = digest === undefined ? undefined : this.#read(digest).account;
      return digest === undefined || account === undefined ? [] : [{digest, account}];
    });
  }

  /** When preparing it failed last, wall clock milliseconds; undefined where the last preparation worked. */
  failedAt(digest: string): number | undefined {
    const last = this.#read(digest).account?.preparations.at(-1);
    return last?.failure === undefined ? undefined : last.at;
  }

  /** Writes a person's wish down. */
  switch(digest: string, to: 'on' | 'off' | 'auto', at: number): void {
    this.#append(digest, [{kind: 'switch', at, to}]);
  }

  /** Begins a trial anew with what is prepared now. */
  reset(digest: string): void {
    const account = this.#read(digest).account;
    if (account === undefined) return;
    const {name, label, prepared} = account;
    this.#openArms.delete(digest);
    this.#ahead.delete(digest);
    this.#append(digest, [
      {kind: 'about', v: 1, name, label, prepared},
      {kind: 'switch', at: Date.now(), to: 'auto'},
    ]);
  }

  /** The account of this preparation; one of an earlier preparation only says what a person wants. */
  #accountFor({digest, prepared}: Subject): Account | undefined {
    const {account} = this.#read(digest);
    if (account === undefined || account.prepared === prepared) return account;
    this.#openArms.delete(digest);
    return {...account, prepared: account.prepared, launches: [], pairs: emptyPairs, standing: 'trial'};
  }

  #path(digest: string): string {
    return join(this.#directory, `${digest}.jsonl`);
  }

  #read(digest: string): Known {
    const identity = safeFileIdentity(this.#path(digest));
    const known = this.#known.get(digest);
    if (known?.identity === identity) return known;
    const entries = (readPlainFile(this.#path(digest), 4 * fileLimit) ?? '')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : (parseEntry(line) ?? [])));
    const read = {identity, entries, account: accountOf(entries)};
    this.#known.set(digest, read);
    return read;
  }

  #append(digest: string, added: readonly LedgerEntry[]): void {
    mkdirSync(this.#directory, {recursive: true, mode: 0o700});
    const path = this.#path(digest);
    const {entries} = this.#read(digest);
    const before = sizeOf(path);
    // A line that a crash has cut is ended first; an empty line is nothing to a reader.
    const text = `\n${added.map((entry) => JSON.stringify(entry)).join('\n')}\n`;
    appendTo(path, text);
    const after = sizeOf(path);
    if (after > fileLimit) this.#shorten(digest);
    // What another process has written meanwhile is read from the file; what only we wrote is known.
    else if (after === before + Buffer.byteLength(text)) {
      const all = [...entries, ...added];
      this.#known.set(digest, {identity: safeFileIdentity(path), entries: all, account: accountOf(all)});
    }
  }

  /** Preparations, wishes and standings stay; of launches and of warm-ups ahead of them the last ones. */
  #shorten(digest: string): void {
    const {entries} = this.#read(digest);
    const begin = entries.findLastIndex(({kind}) => kind === 'about');
    const old = entries
      .slice(0, begin)
      .filter(({kind}) => kind !== 'about' && kind !== 'launch' && kind !== 'standing');
    const since = entries.slice(begin);
    const [launches, expected] = (['launch', 'expected'] as const).map(
      (wanted) => new Set(since.filter(({kind}) => kind === wanted).slice(-launchesKept)),
    );
    const kept = since.filter(
      (entry) =>
        (entry.kind !== 'launch' || launches?.has(entry)) && (entry.kind !== 'expected' || expected?.has(entry)),
    );
    atomicWrite(this.#path(digest), [...old.slice(-50), ...kept].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }
}

const emptyPairs: Account['pairs'] = {endpoint: 'ended', rounds: [], open: undefined};

const sizeOf = (path: string): number => statSync(path, {throwIfNoEntry: false})?.size ?? 0;
