import {hours, NoAnswer, type RunResult} from 'bootcut/plugin';

/** gh's exit status when there is no account to ask with. */
const notLoggedIn = 4;

/** Why a `gh api user` that failed gave no answer. gh's words are matched and not repeated: they can hold addresses. */
export const ghFailure = ({code, stdout, stderr}: RunResult): NoAnswer => {
  if (code === notLoggedIn) return new NoAnswer('not-logged-in', 'gh is not logged in');
  if (code === null) return new NoAnswer('ended', 'gh was ended by a signal');
  const status = /\(HTTP (\d{3})\)/.exec(stderr)?.[1];
  if (status !== undefined) return statusFailure(Number(status), `${stderr}\n${stdout}`);
  const known = wordings.find(({pattern}) => pattern.test(stderr));
  if (known !== undefined) return new NoAnswer(known.reason, known.text);
  return new NoAnswer('malformed', `gh ended with status ${code} and gave no reason`);
};

/**
 * The token is good but belongs to no account. Taken at its word for an hour, the life of an installation token; the
 * question is keyed by the token, so another token asks at once.
 */
export const tokenWithoutUser = (): NoAnswer =>
  new NoAnswer('refused', 'this token has no user', {retryAfter: hours(1)});

/** Go's network errors as gh prints them, the most telling first. */
const wordings = [
  {pattern: /x509|certificate/i, reason: 'certificate', text: 'gh does not trust the certificate it was shown'},
  {pattern: /proxyconnect|socks connect|proxy/i, reason: 'proxy-unusable', text: 'gh cannot use the proxy'},
  {
    pattern: /error connecting|dial tcp|no such host|timeout|EOF/i,
    reason: 'unreachable',
    text: 'gh cannot reach GitHub',
  },
  {pattern: /gh auth login/i, reason: 'not-logged-in', text: 'gh is not logged in'},
] as const;

const statusFailure = (status: number, words: string): NoAnswer => {
  if (status === 429 || (status === 403 && /rate limit|abuse/i.test(words)))
    return new NoAnswer('rate-limited', 'GitHub allows no more requests for now');
  if (status === 403 && /not accessible by integration/i.test(words)) return tokenWithoutUser();
  if (status === 401) return new NoAnswer('refused', 'GitHub does not accept the token');
  if (status === 403) return new NoAnswer('refused', 'GitHub refuses to name the account');
  if (status === 404) return new NoAnswer('not-found', 'this host has no question named "user"');
  if (status === 511) return new NoAnswer('captive-portal', 'the network wants a log-in first');
  if (status >= 500) return new NoAnswer('server-error', `GitHub answered with status ${status}`);
  return new NoAnswer('malformed', `GitHub answered with status ${status}`);
};
