import {NoAnswer} from 'bootcut/plugin';

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
