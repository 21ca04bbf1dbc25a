import {hours, NoAnswer} from 'bootcut/plugin';

/** What is known of an answer by HTTP that was not the one hoped for. */
export interface HttpFailure {
  readonly status: number;
  /** GitHub's own words; only looked at, never repeated. */
  readonly message: string;
  /** Milliseconds that the other side asks to wait. */
  readonly retryAfter?: number;
}

/**
 * How long a token without a user is taken at its word, in milliseconds: the life of an installation token. The
 * question is keyed by the token, so another token asks at once.
 */
const userless = hours(1);

/** Names the reason behind an HTTP status of `GET /user`. */
export const httpFailure = ({status, message, retryAfter}: HttpFailure): NoAnswer => {
  const wait = retryAfter === undefined ? {} : {retryAfter};
  if (status === 429 || (status === 403 && /rate limit|abuse/i.test(message)))
    return new NoAnswer('rate-limited', 'GitHub allows no more requests for now', wait);
  if (status === 403 && /not accessible by integration/i.test(message))
    return new NoAnswer('refused', 'this token has no user', {retryAfter: userless});
  if (status === 401) return new NoAnswer('refused', 'GitHub does not accept the token');
  if (status === 403) return new NoAnswer('refused', 'GitHub refuses to name the account');
  if (status === 404) return new NoAnswer('not-found', 'this host has no such question as "user"');
  if (status === 511) return new NoAnswer('captive-portal', 'the network wants a log-in first');
  if (status >= 500) return new NoAnswer('server-error', `GitHub answered with status ${status}`);
  return new NoAnswer('malformed', `GitHub answered with status ${status}`);
};

/** Decodes the body of an answer; a page instead of data is what networks with a log-in page send. */
export const decodeAnswer = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    // The parser's error repeats the body, so it is not handed on.
    if (body.trimStart().startsWith('<')) throw new NoAnswer('captive-portal', 'a web page came instead of an answer');
    throw new NoAnswer('malformed', 'the answer is not JSON');
  }
};
