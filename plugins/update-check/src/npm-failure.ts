import {hours, NoAnswer} from 'bootcut/plugin';

/** Why `npm view` failed, from the code in what it printed; its texts hold addresses and are not repeated. */
export const npmFailure = (stdout: string, name: string): NoAnswer => {
  const code = codeIn(stdout);
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'malformed';
  const text = `npm could not say the version of ${name}${code === '' ? '' : ` (${code})`}`;
  // A package that is not there may be published tomorrow, and asking costs a start of npm.
  return new NoAnswer(reason, text, reason === 'not-found' ? {retryAfter: hours(12)} : {});
};

const reasons: readonly (readonly [RegExp, ConstructorParameters<typeof NoAnswer>[0]])[] = [
  [/^E404$/, 'not-found'],
  [/^E40[13]$|^ENEEDAUTH$/, 'refused'],
  [/^E407$/, 'proxy-unusable'],
  [/^E429$/, 'rate-limited'],
  [/^E511$/, 'captive-portal'],
  [/^E5\d\d$/, 'server-error'],
  [/CERT|^UNABLE_TO_/, 'certificate'],
  [/TIMEDOUT|TIMEOUT/, 'timed-out'],
  [/^ECONN|^ENOTFOUND$|^EAI_|UNREACH$|^EPIPE$|^ENETDOWN$|^ENOTCACHED$/, 'unreachable'],
];

const codeIn = (stdout: string): string => {
  try {
    const {error} = JSON.parse(stdout) as {readonly error?: {readonly code?: unknown}};
    return typeof error?.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(error.code) ? error.code : '';
  } catch {
    return '';
  }
};
