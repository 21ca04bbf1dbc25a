/** One way of logging in that a server offers. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`, … */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Pieces between commas; a comma in a quoted text separates nothing, nor does a quote behind a backslash end it. */
const pieces = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs;
const parameter = new RegExp(`^(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"?|([^\\s"=][^\\s"]*))$`, 's');
const opening = new RegExp(`^(${token})(?:\\s+(.*))?$`, 's');

/**
 * Reads WWW-Authenticate (RFC 9110, 11.6.1), where commas separate both challenges and their parameters. Several header
 * lines come joined by commas and read the same. What cannot be read is passed over.
 */
export const parseChallenges = (header: string): readonly Challenge[] => {
  const challenges: {scheme: string; parameters: Record<string, string>}[] = [];
  for (const piece of header.match(pieces) ?? []) {
    const text = piece.trim();
    const [, scheme, rest = ''] = parameter.test(text) ? [] : (opening.exec(text) ?? []);
    if (scheme !== undefined) challenges.push({scheme: scheme.toLowerCase(), parameters: {}});
    const [, name, quoted, bare] = parameter.exec(scheme === undefined ? text : rest.trim()) ?? [];
    const current = challenges.at(-1);
    if (name === undefined || current === undefined) continue;
    current.parameters[name.toLowerCase()] ??= quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? '';
  }
  return challenges;
};
