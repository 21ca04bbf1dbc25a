/** An expected reason why setup cannot go on: shown as it is, with the next step on a line of its own. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly advice: string | undefined;

  constructor(text: string, advice?: string) {
    super(text);
    this.advice = advice;
  }
}
