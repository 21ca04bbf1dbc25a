import {visible} from '../system/visible.js';

/** A column: its heading, and the side its cells lean to. */
export interface Column {
  readonly head: string;
  readonly align: 'left' | 'right';
}

/** Cells beyond this many characters are cut: one endless name must not widen every row. */
const widest = 80;

/**
 * Rows as a Markdown table with aligned columns: reads as well in a terminal as where Markdown is rendered. Cells may hold
 * any text; what a terminal or a table would act upon is escaped.
 */
export const table = (columns: readonly Column[], rows: readonly (readonly string[])[]): string => {
  const heads = columns.map(({head}) => head);
  const cells = rows.map((row) => columns.map((_, index) => cell(row[index] ?? '')));
  const widths = columns.map((_, index) => Math.max(3, ...[heads, ...cells].map((row) => width(row[index] ?? ''))));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.align)).join(' | ')} |`;
  const rule = columns.map(({align}, index) => {
    const dashes = '-'.repeat((widths[index] ?? 3) - 1);
    return align === 'right' ? `${dashes}:` : `${dashes}-`;
  });
  return [line(heads), `| ${rule.join(' | ')} |`, ...cells.map(line)].join('\n');
};

/** A text as one cell: on one line, without hidden characters, at most 80 long, its pipes escaped. */
const cell = (text: string): string => {
  const characters = [...visible(text)];
  const short = characters.length > widest ? `${characters.slice(0, widest - 1).join('')}…` : characters.join('');
  // A backslash before a pipe would escape the escape.
  return short.replace(/(\\*)\|/g, '$1$1\\|');
};

const pad = (text: string, to: number, align: Column['align'] | undefined): string => {
  const blanks = ' '.repeat(Math.max(0, to - width(text)));
  return align === 'right' ? blanks + text : text + blanks;
};

/** In characters; wide ones (CJK, emoji) count as one, which costs them alignment and nothing else. */
const width = (text: string): number => [...text].length;
