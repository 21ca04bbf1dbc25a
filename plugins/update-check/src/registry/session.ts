import {NoAnswer} from 'bootcut/plugin';
import {parseChallenges} from './challenge.js';
import {type Registry, type Way, waysFrom} from './ways.js';

export interface Question {
  readonly method: 'HEAD' | 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Statuses that are answers besides 2xx and 304. */
  readonly answers: readonly number[];
}

export type Answer = Awaited<ReturnType<typeof send>>;

/** What the registry refuses with: 400 is how some say that a token has run out. */
const refusals = [400, 401, 403];

/**
 * Asks a registry as often as needed within one look-up, logged in as it turns out to want. It always begins as nobody:
 * no login leaves before a registry asks for one. Each way in is tried once, and one that had worked once more with a
 * new token, so it ends.
 */
export const openRegistry = (registry: Registry): ((question: Question) => Promise<Answer>) => {
  let ways: Way[] | undefined;
  let current: {readonly way: Way; readonly authorization: string; hasWorked: boolean} | undefined;

  const enter = async (refusal: Answer): Promise<void> => {
    ways ??= challengesIn(refusal, registry);
    // It let us in before, so what was refused is an old token and not the way.
    if (current?.hasWorked === true) ways.unshift(current.way);
    for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
      const authorization = await way();
      if (authorization === undefined) continue;
      current = {way, authorization, hasWorked: false};
      return;
    }
    throw new NoAnswer('refused', `${new URL(registry.origin).host} does not let ${registry.repository} be read`);
  };

  return async (question) => {
    for (;;) {
      const answer = await send(registry, question, current?.authorization);
      if (!refusals.includes(answer.statusCode)) {
        if (current !== undefined) current.hasWorked = true;
        return answer;
      }
      await enter(answer);
    }
  };
};

/** What storage says after a redirect is not the registry's word, and its challenge is not followed. */
const challengesIn = (refusal: Answer, registry: Registry): Way[] => {
  const header = refusal.headers['www-authenticate'];
  const isOwn = new URL(refusal.url).origin === registry.origin;
  return header === undefined || !isOwn ? [] : [...waysFrom(parseChallenges(header), registry)];
};

const send = ({http, origin, signal}: Registry, question: Question, authorization: string | undefined) =>
  http(`${origin}${question.path}`, {
    method: question.method,
    headers: {...question.headers, ...(authorization && {authorization})},
    responseType: 'buffer',
    context: {answers: [...question.answers, ...refusals]},
    signal,
  });
