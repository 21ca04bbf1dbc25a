import {done, failed, type Result} from '../model/failure.js';
import {redact} from '../system/redact.js';
import type {Condition, Observable, PortSource, Region, ScreenGoal, StatusRange} from './condition.js';

/** The kinds, as help and error messages show them. */
export const conditionKinds = [
  'port:8080',
  'port:/run/app.sock',
  'port:@FILE',
  'http://localhost:8080/health [status=200-299] [body=/REGEX/]',
  'http:@FILE[/PATH]',
  'log:TEXT or log:/REGEX/',
  'stdout:…',
  'stderr:…',
  'logfile:PATH:/REGEX/ [old]',
  'file:PATH [old] [empty]',
  'exec:COMMAND ARGUMENT… or exec:["COMMAND","ARGUMENT"]',
  'settled:output, settled:timeline, settled:URL, settled:exec COMMAND…, settled:screen [quiet=2s] [top=5] [cutoff=60s]',
  'screen: [display=:99] [region=100x50+10+20] [title=/REGEX/] [picture=FILE.ppm]',
] as const;

/** What comes of the text after the kind, and the words behind it. */
interface Parts {
  readonly head: string;
  /** `name=value` and bare words, which have the value `''`. */
  readonly options: ReadonlyMap<string, string>;
}

class Misfit extends Error {}

/** `[NAME=]KIND:…` as a condition. Without a name it is called by its own text, less what must not be shown or kept. */
export const parseCondition = (text: string): Result<Condition> => {
  const named = /^([a-z][\w .-]*)=(?=[a-z]+:)(.*)$/is.exec(text);
  const own = named?.[2] ?? text;
  try {
    return done({name: named?.[1] ?? redact(own), text: own, ...parseKind(own)});
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    return failed({reason: 'bad-argument', detail: `'${text}' is no readiness condition: ${error.message}.`});
  }
};

type Kind = Condition extends infer C ? (C extends Condition ? Omit<C, 'name' | 'text'> : never) : never;

const parseKind = (text: string): Kind => {
  const at = text.indexOf(':');
  const kind = at < 0 ? text : text.slice(0, at);
  const rest = text.slice(at + 1).trim();
  switch (kind) {
    case 'port':
      return portCondition(rest);
    case 'http':
    case 'https':
      return httpCondition(kind, rest);
    case 'log':
    case 'stdout':
    case 'stderr':
      return {kind: 'log', stream: kind === 'log' ? 'either' : kind, pattern: pattern(needed(rest, 'a pattern'))};
    case 'logfile':
      return logFileCondition(rest);
    case 'file': {
      const {head, options} = parts(rest, ['old', 'empty']);
      return {kind, path: needed(head, 'a path'), old: options.has('old'), empty: options.has('empty')};
    }
    case 'exec':
      return {kind, command: words(rest)};
    case 'settled':
      return settledCondition(rest);
    case 'screen':
      return screenCondition(rest);
    default:
      throw new Misfit(`there is no kind '${kind}'; there are ${conditionKinds.join('; ')}`);
  }
};

/** Options stand at the end, so a path or URL may hold blanks and equal signs as long as it does not end like an option. */
const parts = (text: string, known: readonly string[]): Parts => {
  const options = new Map<string, string>();
  let head = text;
  for (;;) {
    const last = new RegExp(String.raw`(?:^|\s)(${known.join('|')})(?:=(/(?:[^/\\]|\\.)*/[a-z]*|\S*))?$`).exec(head);
    if (last === null) return {head: head.trim(), options};
    options.set(last[1] ?? '', last[2] ?? '');
    head = head.slice(0, last.index).trimEnd();
  }
};

const needed = (text: string, what: string): string => {
  if (text === '') throw new Misfit(`it lacks ${what}`);
  return text;
};

/** `/REGEX/flags`, or a text to be found as it is. */
const pattern = (text: string): RegExp => {
  const regex = /^\/(.*)\/([imsu]*)$/s.exec(text);
  try {
    return regex === null
      ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      : new RegExp(regex[1] ?? '', regex[2]);
  } catch (error) {
    throw new Misfit((error as Error).message);
  }
};

const portNumber = (text: string): number => {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new Misfit(`'${text}' is no port`);
  return port;
};

const portCondition = (text: string): Kind => {
  if (text.startsWith('/')) return {kind: 'port', host: undefined, port: {path: text}};
  if (text.startsWith('@'))
    return {kind: 'port', host: undefined, port: {file: needed(text.slice(1), 'a file'), suffix: ''}};
  const at = text.lastIndexOf(':');
  const port: PortSource = portNumber(text.slice(at + 1));
  const host = at < 0 ? undefined : text.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return {kind: 'port', host, port};
};

const httpCondition = (scheme: string, text: string): Kind => {
  const {head, options} = parts(text, ['status', 'body']);
  const body = options.get('body');
  const rest = {status: statusRange(options.get('status')), body: body === undefined ? undefined : pattern(body)};
  const file = /^@([^\s]+?)(\/[^/\s]*)?$/.exec(head);
  if (file !== null) return {kind: 'http', url: {file: file[1] ?? '', suffix: file[2] ?? ''}, ...rest};
  if (!head.startsWith('//') || !URL.canParse(`${scheme}:${head}`)) throw new Misfit(`'${scheme}:${head}' is no URL`);
  return {kind: 'http', url: new URL(`${scheme}:${head}`).href, ...rest};
};

/** `200`, `2xx`, `200-299`. A redirect is no answer to the question, so it counts only when asked for. */
const statusRange = (text: string | undefined): StatusRange => {
  if (text === undefined) return {from: 200, to: 299};
  const hundred = /^([1-5])xx$/.exec(text)?.[1];
  if (hundred !== undefined) return {from: Number(hundred) * 100, to: Number(hundred) * 100 + 99};
  const range = /^(\d{3})(?:-(\d{3}))?$/.exec(text);
  if (range === null) throw new Misfit(`'${text}' is no status: write 200, 2xx or 200-299`);
  return {from: Number(range[1]), to: Number(range[2] ?? range[1])};
};

const logFileCondition = (text: string): Kind => {
  const {head, options} = parts(text, ['old']);
  const regex = /^(.+?):(\/.*\/[imsu]*)$/s.exec(head);
  const at = head.indexOf(':');
  const [path, wanted] = regex === null ? [head.slice(0, Math.max(0, at)), head.slice(at + 1)] : [regex[1], regex[2]];
  return {
    kind: 'log-file',
    path: needed(path ?? '', 'a path'),
    pattern: pattern(needed(wanted ?? '', 'a pattern')),
    old: options.has('old'),
  };
};

/** A command as one text, for the flag of this name: words between blanks, or a JSON list. */
export const parseCommand = (text: string, flag: string): Result<readonly string[]> => {
  try {
    return done(words(text.trim()));
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const detail = `--${flag}: ${error.message}. Write words, as in --${flag} 'rm -f out', or a JSON list, as in --${flag} '["sh","-c","rm -f out/*"]'.`;
    return failed({reason: 'bad-argument', detail});
  }
};

/** A JSON list, or words between blanks; there is no shell, so quotes mean nothing. */
const words = (text: string): readonly string[] => {
  if (!text.startsWith('[')) return needed(text, 'a command').split(/\s+/);
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === 'string')) return list;
  } catch {
    // told below
  }
  throw new Misfit(`${text} is no JSON list of texts`);
};

const units: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000};

const milliseconds = (text: string | undefined, standard: number): number => {
  if (text === undefined) return standard;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text);
  if (match === null) throw new Misfit(`'${text}' is no duration such as 500ms or 2s`);
  return Number(match[1]) * (units[match[2] ?? 'ms'] ?? 1);
};

const settledCondition = (text: string): Kind => {
  const {head, options} = parts(text, ['quiet', 'top', 'cutoff', 'display']);
  const top = Number(options.get('top') ?? 5);
  if (!Number.isInteger(top) || top < 1) throw new Misfit('top must be a whole number of 1 or more');
  return {
    kind: 'settled',
    observable: observable(head, options.get('display')),
    quiet: milliseconds(options.get('quiet'), 2000),
    top,
    cutoff: milliseconds(options.get('cutoff'), 60_000),
  };
};

const observable = (text: string, display: string | undefined): Observable => {
  if (text === 'output' || text === 'timeline') return {kind: text};
  if (text === 'screen') return {kind: 'screen', display};
  if (text.startsWith('exec ')) return {kind: 'command', command: words(text.slice(5).trim())};
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return {kind: 'url', url: text};
  throw new Misfit(`'${text}' cannot be observed: write output, timeline, screen, a URL, or exec COMMAND`);
};

const screenCondition = (text: string): Kind => {
  const {head, options} = parts(text, ['display', 'region', 'title', 'picture']);
  if (head !== '') throw new Misfit(`'${head}' is no option of screen`);
  return {kind: 'screen', display: options.get('display'), region: region(options.get('region')), goal: goal(options)};
};

const region = (text: string | undefined): Region | undefined => {
  if (text === undefined) return undefined;
  const match = /^(\d+)x(\d+)\+(\d+)\+(\d+)$/.exec(text);
  if (match === null) throw new Misfit(`'${text}' is no region such as 100x50+10+20`);
  const [, width, height, x, y] = match.map(Number);
  return {x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0};
};

const goal = (options: ReadonlyMap<string, string>): ScreenGoal => {
  const [title, picture] = [options.get('title'), options.get('picture')];
  if (title !== undefined) return {kind: 'title', pattern: pattern(title)};
  return picture === undefined ? {kind: 'not-blank'} : {kind: 'picture', path: picture};
};
