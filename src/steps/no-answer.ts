/** Why a step has no answer. Each shows under its short name in `profile`. */
export type NoAnswerReason =
  | 'timed-out'
  | 'not-installed'
  | 'not-logged-in'
  | 'refused'
  | 'rate-limited'
  | 'unreachable'
  | 'proxy-unusable'
  | 'certificate'
  | 'captive-portal'
  | 'malformed'
  | 'server-error'
  | 'not-found'
  | 'nothing-there'
  | 'ended';

/**
 * Thrown by a `read` that got no answer for an expected reason. The text is shown to people: no secrets in it.
 * `retryAfter` (milliseconds) keeps the question from being asked again before the other side allows it.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly reason: NoAnswerReason;
  readonly retryAfter: number | undefined;

  constructor(reason: NoAnswerReason, message: string, options: {retryAfter?: number; cause?: unknown} = {}) {
    super(message, options.cause === undefined ? {} : {cause: options.cause});
    this.reason = reason;
    this.retryAfter = options.retryAfter;
  }
}
