/** One option of agent-vm's launch verbs. */
interface Option {
  readonly name: string;
  /** Takes a value: the next token, or what follows `=`. */
  readonly value: boolean;
  readonly short?: string;
  /** First release (the N of 0.1.N) that knows it. Default: all. */
  readonly since?: number;
}

/** agent-vm's shared `Args`, v0.1.0 to v0.1.28. `-p`, egress and LAN came with the code of 0.1.16, `--allow-host` with 0.1.18. */
const options: readonly Option[] = [
  {name: 'memory', value: true},
  {name: 'cpus', value: true},
  {name: 'repo', value: true},
  {name: 'mount', value: true},
  {name: 'publish', value: true, short: 'p', since: 16},
  {name: 'allow-egress', value: true, since: 16},
  {name: 'image', value: true},
  {name: 'no-git', value: false},
  {name: 'auto-publish', value: false, since: 16},
  {name: 'allow-lan', value: false, since: 16},
  {name: 'allow-host', value: false, since: 18},
  {name: 'no-update-check', value: false},
];

/** The options as a command line shows them, for whoever has to find our own options among them. */
export const optionFlags = {
  value: options.filter(({value}) => value).flatMap(flagsOf),
  plain: options.filter(({value}) => !value).flatMap(flagsOf),
};

/** What stands before the guest's own arguments. */
export interface Scan {
  /** Values by option name, in the order given; an option without a value has an empty text for each time it stands there. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** Where the guest's arguments begin; the list's length when there are none. A `--` that opens them is not one of them. */
  readonly trailing: number;
  /** agent-vm will print its help and end. */
  readonly help: boolean;
}

/**
 * Reads what follows a launch verb by the rules of clap 4.6.1 with agent-vm's arguments: options count up to the first
 * bare word, `--`, `-`, empty text, or hyphen token that this release does not know. Usage errors are agent-vm's to find:
 * this reads on as well as it can.
 */
export const scanArguments = (args: readonly string[], release: number): Scan => {
  const known = options.filter(({since}) => since === undefined || release >= since);
  const given = new Map<string, string[]>();
  const add = (name: string, value: string): void => void given.set(name, [...(given.get(name) ?? []), value]);
  let pending: string | undefined;
  for (const [index, token] of args.entries()) {
    if (token === '--') return {given, trailing: index + 1, help: false};
    const meaning = readToken(token, known);
    if (meaning === 'help') return {given, trailing: args.length, help: true};
    if (meaning !== undefined) {
      pending = meaning.value === undefined ? meaning.name : undefined;
      if (meaning.value !== undefined) add(meaning.name, meaning.value);
    } else if (pending === undefined) {
      return {given, trailing: index, help: false};
    } else {
      // No option claims it, so it is the value of the one before, even with a hyphen in front.
      add(pending, token);
      pending = undefined;
    }
  }
  return {given, trailing: args.length, help: false};
};

/** An option with its value, or without one when that is still to come. */
interface Found {
  readonly name: string;
  readonly value: string | undefined;
}

const readToken = (token: string, known: readonly Option[]): Found | 'help' | undefined => {
  if (token.startsWith('--')) return readLong(token.slice(2), known);
  return token.startsWith('-') && token.length > 1 ? readShort([...token.slice(1)], known) : undefined;
};

const readLong = (text: string, known: readonly Option[]): Found | 'help' | undefined => {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  if (name === 'help') return 'help';
  const option = known.find((candidate) => candidate.name === name);
  if (option === undefined) return undefined;
  if (equals >= 0) return {name, value: text.slice(equals + 1)};
  return {name, value: option.value ? undefined : ''};
};

/** Every letter of a cluster must be an option, or none is: `-p8080:80` and `-p=…` belong to the guest. */
const readShort = (letters: readonly string[], known: readonly Option[]): Found | 'help' | undefined => {
  const byLetter = (letter: string): Option | undefined => known.find(({short}) => short === letter);
  if (!letters.every((letter) => letter === 'h' || byLetter(letter) !== undefined)) return undefined;
  const option = letters[0] === undefined ? undefined : byLetter(letters[0]);
  if (option === undefined) return 'help';
  const attached = letters.slice(1).join('');
  return {name: option.name, value: attached === '' ? undefined : attached};
};

function flagsOf({name, short}: Option): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}
