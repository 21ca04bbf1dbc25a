import {visible} from '../system/visible.js';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text of any origin as text of an HTML or SVG document, also between quotes; hidden characters show as escapes. */
export const markup = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** The same, cut in the middle to so many characters: both ends of a long name tell it from others. */
export const shortMarkup = (text: string, most: number): string => {
  const characters = [...visible(text)];
  if (characters.length <= most) return markup(text);
  const head = Math.ceil((most - 1) / 2);
  return markup(
    `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (most - 1 - head)).join('')}`,
  );
};
