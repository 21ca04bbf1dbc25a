/**
 * Takes a variable such as JAVA_TOOL_OPTIONS apart as the JVM does: blanks separate, quotes of both kinds hold together
 * and are dropped, nothing escapes them. Undefined where a quote is left open: the JVM refuses that itself.
 */
export const splitOptions = (text: string): readonly string[] | undefined => {
  const options: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (const character of text) {
    if (quote !== '') {
      if (character === quote) quote = '';
      else current = `${current ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= '';
    } else if (/\s/.test(character)) {
      if (current !== undefined) options.push(current);
      current = undefined;
    } else current = `${current ?? ''}${character}`;
  }
  if (quote !== '') return undefined;
  return current === undefined ? options : [...options, current];
};
