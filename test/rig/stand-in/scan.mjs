import {commandHelp} from './help.mjs';

/** Thrown through the parser; becomes the text and status clap would end with. */
export class Ending extends Error {
  constructor(status, stdout, stderr) {
    super('end of parsing');
    Object.assign(this, {status, stdout, stderr});
  }
}

/** The option region of one command, token by token, as clap's parser walks it. */
export class Scan {
  values = {};
  #command;
  #options;
  #usage;
  #pending = null;
  #given = new Set();

  constructor(command, options, usage) {
    this.#command = command;
    this.#options = options;
    this.#usage = usage;
    for (const {name, type, initial} of options) {
      this.values[name] = type === 'flag' ? false : type === 'list' ? [] : (initial ?? null);
    }
  }

  /** 'taken', 'escape' (a `--`), or 'other': not an option of ours, which opens the trailing region. */
  take(token) {
    if (token === '--') return 'escape';
    if (token.startsWith('--')) return this.#long(token) ?? this.#asValue(token);
    if (token.startsWith('-') && token.length > 1) return this.#short(token) ?? this.#asValue(token);
    return this.#asValue(token);
  }

  /** Called once after the option region: an option still without its value, then variables, are checked here. */
  end(env) {
    this.#requireNothingPending();
    for (const option of this.#options) {
      const text = option.env === undefined ? undefined : env[option.env];
      if (text !== undefined && !this.#given.has(option.name)) this.#store(option, text);
    }
  }

  #long(token) {
    const equals = token.indexOf('=');
    const name = equals < 0 ? token.slice(2) : token.slice(2, equals);
    const attached = equals < 0 ? undefined : token.slice(equals + 1);
    if (name === 'help') return this.#help(attached);
    const option = this.#options.find((candidate) => candidate.name === name);
    return option === undefined ? null : this.#found(option, attached);
  }

  /** A cluster counts as options only if every character in it is one: `-p8080:80` and `-p=…` are not. */
  #short(token) {
    const letters = [...token.slice(1)];
    const byLetter = (letter) => this.#options.find(({short}) => short === letter);
    if (!letters.every((letter) => letter === 'h' || byLetter(letter) !== undefined)) return null;
    for (const [index, letter] of letters.entries()) {
      if (letter === 'h') this.#help(undefined);
      const option = byLetter(letter);
      if (option.type === 'flag') this.#found(option, undefined);
      else return this.#found(option, letters.slice(index + 1).join('') || undefined);
    }
    return 'taken';
  }

  #help(attached) {
    this.#requireNothingPending();
    if (attached !== undefined) throw this.#unneeded('--help', attached);
    throw new Ending(0, commandHelp(this.#command, this.#options), '');
  }

  #found(option, attached) {
    this.#requireNothingPending();
    if (option.type === 'flag' && attached !== undefined) throw this.#unneeded(`--${option.name}`, attached);
    if (option.type !== 'flag' && attached === undefined) this.#pending = option;
    else this.#accept(option, attached);
    return 'taken';
  }

  /** A token that no option claims is the value of the option before it, even with a hyphen in front. */
  #asValue(token) {
    if (this.#pending === null) return 'other';
    const option = this.#pending;
    this.#pending = null;
    this.#accept(option, token);
    return 'taken';
  }

  #accept(option, text) {
    if (this.#given.has(option.name) && option.type !== 'list') {
      throw usageError(`the argument '${shown(option)}' cannot be used multiple times`, this.#usage);
    }
    this.#given.add(option.name);
    this.#store(option, text);
  }

  #store(option, text) {
    if (option.type === 'flag') this.values[option.name] = true;
    else if (option.type === 'list') this.values[option.name].push(text);
    else if (option.type === 'text') this.values[option.name] = text;
    else this.values[option.name] = this.#number(option, text);
  }

  #number(option, text) {
    const {min, max} = option.type;
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    const reason =
      text === ''
        ? 'cannot parse integer from empty string'
        : Number.isNaN(value)
          ? 'invalid digit found in string'
          : `${text.replace(/^\+/, '')} is not in ${min}..=${max}`;
    throw new Ending(2, '', `error: invalid value '${text}' for '${shown(option)}': ${reason}\n\n${TRY_HELP}`);
  }

  #requireNothingPending() {
    if (this.#pending === null) return;
    const text = `error: a value is required for '${shown(this.#pending)}' but none was supplied\n\n${TRY_HELP}`;
    throw new Ending(2, '', text);
  }

  #unneeded(name, attached) {
    return usageError(`unexpected value '${attached}' for '${name}' found; no more were expected`, this.#usage);
  }
}

const TRY_HELP = "For more information, try '--help'.\n";

const shown = ({name, value, type}) => (type === 'flag' ? `--${name}` : `--${name} <${value}>`);

export function usageError(message, usage) {
  return new Ending(2, '', `error: ${message}\n\nUsage: ${usage}\n\n${TRY_HELP}`);
}

export const unexpected = (token, usage) => usageError(`unexpected argument '${token.split('=')[0]}' found`, usage);
