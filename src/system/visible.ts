/** Control characters, and marks that turn the writing direction or hide: what a terminal must not be handed. */
// biome-ignore lint: control characters are the point
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** A text of foreign origin made safe for one line of a terminal: hidden characters show as escapes. */
export const visible = (text: string): string => text.replace(hidden, escaped);
