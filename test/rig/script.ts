import type {RecordedRequest, ScriptedAnswer} from './scripted-server.js';

export type Rule<M> = {
  readonly match: M;
  readonly answer: ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer);
  /** How many requests it answers; without a number, all. */
  readonly times?: number;
};

/** Rules on top of a server's ordinary answers: the newest that matches and is not used up wins. */
export class Script<M> {
  #rules: {rule: Rule<M>; left: number}[] = [];
  readonly #matches: (match: M, request: RecordedRequest) => boolean;

  constructor(matches: (match: M, request: RecordedRequest) => boolean) {
    this.#matches = matches;
  }

  add(rule: Rule<M>): void {
    this.#rules.unshift({rule, left: rule.times ?? Number.POSITIVE_INFINITY});
  }

  clear(): void {
    this.#rules = [];
  }

  /** The scripted answer to this request, or undefined for the ordinary one. */
  take(request: RecordedRequest): ScriptedAnswer | undefined {
    const found = this.#rules.find(({rule, left}) => left > 0 && this.#matches(rule.match, request));
    if (found === undefined) return undefined;
    found.left -= 1;
    const {answer} = found.rule;
    return typeof answer === 'function' ? answer(request) : answer;
  }
}
