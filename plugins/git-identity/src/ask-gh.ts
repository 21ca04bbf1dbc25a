import {type Launch, type ReadTools, run} from 'bootcut/plugin';
import {decodeAnswer} from './decode-answer.js';
import {ghFailure} from './gh-failure.js';
import {workingDirectory} from './github-account.js';

/** Variables that would colour gh's output, make it chatty or let it ask. */
const plain = {
  GH_FORCE_TTY: undefined,
  CLICOLOR_FORCE: undefined,
  GH_DEBUG: undefined,
  DEBUG: undefined,
  NO_COLOR: '1',
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
};

/** Asks gh for the account it is logged in with; the answer is GitHub's JSON, unchecked. */
export const askGh = async (launch: Launch, {signal}: Pick<ReadTools, 'signal'>): Promise<unknown> => {
  const result = await run(launch, ['gh', 'api', 'user'], {signal, cwd: workingDirectory(launch), env: plain});
  if (result.code !== 0) throw ghFailure(result);
  return decodeAnswer(result.stdout);
};
