/** Control characters, and marks that turn the writing direction or cannot be seen: what a terminal must not be handed. */
// biome-ignore lint: control characters are the point
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
};

/** A text of foreign origin made safe for one line of a terminal: hidden characters show as escapes. */
export const visible = (text: string): string => text.replace(hidden, escaped);
