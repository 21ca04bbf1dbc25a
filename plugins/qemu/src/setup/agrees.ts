import {createInterface} from 'node:readline/promises';

/** Asks the person at the terminal; Enter says yes, and so does everything that is no `n`. The end of input says no. */
export const agrees = async (question: string): Promise<boolean> => {
  const reader = createInterface({input: process.stdin, output: process.stderr});
  try {
    const ended = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
    const answer = await Promise.race([reader.question(`${question} [Y/n] `), ended]);
    return answer !== undefined && !/^\s*n/i.test(answer);
  } finally {
    reader.close();
  }
};
