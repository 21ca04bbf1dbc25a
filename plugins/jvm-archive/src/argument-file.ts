import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {rememberFiles} from './remember-files.js';

/** The items of a java `@argfile`, by the launcher's own rules; undefined where it cannot be read. */
export const readArgumentFile = (cwd: string, path: string): readonly string[] | undefined =>
  remembered(resolve(cwd, path));

const remembered = rememberFiles((path) => splitArgumentFile(readFileSync(path, 'utf8')));

const escapes: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t', f: '\f'};
const token = /#[^\n\r]*|"(?:\\[^]|[^"\\])*"?|'(?:\\[^]|[^'\\])*'?|[^\s"'#][^\s"']*|\s+/g;

/**
 * Blanks and line ends separate; `#` begins a comment; quotes hold together, and inside of them a backslash escapes: at the
 * end of a line it joins the next one without its indentation.
 */
export const splitArgumentFile = (text: string): readonly string[] => {
  const items: string[] = [];
  let current: string | undefined;
  for (const [part] of text.matchAll(token)) {
    if (/^\s/.test(part) || (part.startsWith('#') && current === undefined)) {
      if (current !== undefined) items.push(current);
      current = undefined;
    } else current = `${current ?? ''}${/^["']/.test(part) ? unquoted(part) : part}`;
  }
  return current === undefined ? items : [...items, current];
};

const unquoted = (part: string): string => {
  const [quote = ''] = part;
  const inner = part.length > 1 && part.endsWith(quote) ? part.slice(1, -1) : part.slice(1);
  return inner.replaceAll(/\\(?:(\r?\n)[ \t\f]*|([^]))/g, (_, lineEnd: string | undefined, character: string) =>
    lineEnd === undefined ? (escapes[character] ?? character) : '',
  );
};
