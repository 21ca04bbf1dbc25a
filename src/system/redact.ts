/** What stands where a secret stood. */
const blank = '[redacted]';

const rules: readonly (readonly [RegExp, string])[] = [
  // user-info of URLs, with or without password
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]+@/gi, '$1'],
  // GitHub's token shapes (classic, fine-grained, app, OAuth, refresh)
  [/\b(gh[pousr]_|github_pat_)\w{8,}/g, blank],
  [/\b(bearer|basic|token)\s+[\w.~+/=-]{8,}/gi, `$1 ${blank}`],
  [/\b((?:[a-z0-9_]*(?:token|secret|password|api_?key))\s*[=:]\s*)("?)[^\s"',;&]+\2/gi, `$1${blank}`],
];

/** Removes what looks like a secret from a text for logs, records and messages. */
export const redact = (text: string): string =>
  rules.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
