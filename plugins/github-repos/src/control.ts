/** Has the text a character below 0x20, or 0x7f? No repository's name has, and the text goes to terminals. */
export const hasControl = (text: string): boolean =>
  Array.from(text).some((character) => character < ' ' || character === '\u007f');
