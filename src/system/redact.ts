/** What stands where a secret stood. */
const blank = '[redacted]';

/** A name that says 'secret' by itself, as variables, headers, fields and flags have it. */
const secretName = String.raw`(?:token|secret|password|passwd|passphrase|credentials?|api[-_]?key|private[-_]?key|access[-_]?key)`;

/** The quote, perhaps escaped (JSON in JSON), that may stand around a name or a value. */
const quote = String.raw`\\*["']?`;

const rules: readonly (readonly [RegExp, string])[] = [
  // User-info of URLs, with or without password; the second for passwords with a slash or an @, which URLs should not have.
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/'"\\]+@/gi, '$1'],
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/'"\\@:[]+:(?!\d+(?:[/?#]|$))[^\s'"\\]*@/gi, '$1'],
  // Shapes that tokens have: GitHub, GitLab, npm, Docker, Slack, AWS, OpenAI and its like, JSON web tokens.
  [/\b(?:gh[pousr]_|github_pat_|glpat-|npm_|dckr_pat_|xox[abeprs]-)[\w-]{8,}/g, blank],
  [/\bsk-[\w-]{20,}/g, blank],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, blank],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, blank],
  // Headers, as text or as a JSON field, whatever the scheme.
  [new RegExp(String.raw`(authorization${quote}\s*[:=]\s*${quote})(?:([a-z]+)\s+)?[^\s"'\\,;]+`, 'gi'), `$1${blank}`],
  // A scheme without its header: only with something that cannot be a word.
  [/\b(Bearer|Basic|Token)\s+(?=[\w.~+/=-]*[\d=])[\w.~+/=-]{12,}/gi, `$1 ${blank}`],
  // name=value, name: value, "name": "value"; a quoted value to its quote.
  [
    new RegExp(String.raw`\b([\w-]*${secretName}(?:_[a-z0-9]+)?["'\\]*\s*[=:]\s*)"(?:[^"\\]|\\.)*"`, 'gi'),
    `$1"${blank}"`,
  ],
  [
    new RegExp(
      String.raw`\b([\w-]*${secretName}(?:_[a-z0-9]+)?${quote}\s*[=:]\s*${quote})(?!(?:null|true|false|-?\d+)[,}\]])[^\s"'\\,;&]+`,
      'gi',
    ),
    `$1${blank}`,
  ],
  // --token value
  [new RegExp(String.raw`(--[\w-]*${secretName}\s+)[^\s"'\\-][^\s"'\\]*`, 'gi'), `$1${blank}`],
];

/** Removes what looks like a secret from a text for logs, records and messages. */
export const redact = (text: string): string =>
  rules.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
