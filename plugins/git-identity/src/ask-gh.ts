import {type Launch, NoAnswer, type ReadTools, type RunResult, run} from 'bootcut/plugin';
import {workingDirectory} from './github-account.js';
import {decodeAnswer, httpFailure} from './http-failure.js';

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

/** gh's exit status when there is no account to ask with. */
const notLoggedIn = 4;

/** Asks gh for the account it is logged in with; the answer is GitHub's JSON, unchecked. */
export const askGh = async (launch: Launch, {signal}: Pick<ReadTools, 'signal'>): Promise<unknown> => {
  const result = await run(launch, ['gh', 'api', 'user'], {signal, cwd: workingDirectory(launch), env: plain});
  if (result.code !== 0) throw ghFailure(result);
  return decodeAnswer(result.stdout);
};

/** gh's words are matched and not repeated: they can hold addresses. */
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

const ghFailure = ({code, stdout, stderr}: RunResult): NoAnswer => {
  if (code === notLoggedIn) return new NoAnswer('not-logged-in', 'gh is not logged in');
  if (code === null) return new NoAnswer('ended', 'gh was ended by a signal');
  const status = /\(HTTP (\d{3})\)/.exec(stderr)?.[1];
  if (status !== undefined) return httpFailure({status: Number(status), message: `${stderr}\n${stdout}`});
  const known = wordings.find(({pattern}) => pattern.test(stderr));
  if (known !== undefined) return new NoAnswer(known.reason, known.text);
  return new NoAnswer('malformed', `gh ended with status ${code} and gave no reason`);
};
