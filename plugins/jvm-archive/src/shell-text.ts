/** A word that a POSIX shell takes as it is. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
