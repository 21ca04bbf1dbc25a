import type {FailedStart, Failure} from '../model/failure.js';
import {protocolVersion} from '../protocol/messages.js';
import {buildId} from '../system/build-id.js';
import {visible} from '../system/visible.js';

/** A failure in words: what happened, to which thing, and what to do next. */
export interface FailureView {
  readonly message: string;
  readonly suggestions: readonly string[];
  /** Exit status of the command: 1 for what the user can mend, 2 for a wrong command line, 125 for faults of ours. */
  readonly exit: 1 | 2 | 125;
}

/** The one place that puts failures into words. */
export const failureView = (failure: Failure): FailureView => {
  switch (failure.reason) {
    case 'no-state-directory':
      return mend(
        `bootcut has no directory to keep its state in: ${failure.complaint}`,
        'Set BOOTCUT_STATE_DIR to a directory of yours.',
      );
    case 'daemon-not-running':
      return mend(
        `The daemon is not running.${failure.lastStart === undefined ? '' : ` ${lastStart(failure.lastStart)}`}`,
        "It starts by itself at the next launch, or with 'bootcut daemon start'.",
      );
    case 'daemon-unreachable':
      return mend(
        `The daemon cannot be talked to: ${failure.detail}. ${versions(failure.daemon)}`,
        "'bootcut daemon restart' replaces it; launches go on without it meanwhile.",
      );
    case 'daemon-of-others':
      return mend(
        `Something listens on ${failure.socket}, but it is no process of yours that can be seen from here.`,
        'It may run in another container or under another user: end it there.',
      );
    case 'daemon-did-not-start':
      return mend(
        `The daemon did not start: ${failure.detail}.`,
        failure.log === undefined ? "See 'bootcut doctor'." : `Its log is ${failure.log}.`,
      );
    case 'daemon-other-version':
      return mend(
        `The daemon is of build ${failure.daemon}, this command of ${failure.ours}.`,
        "'bootcut daemon restart' replaces it.",
      );
    case 'daemon-did-not-stop':
      return mend(`The daemon (process ${failure.pid}) does not stop.`, `End it with 'kill -9 ${failure.pid}'.`);
    case 'daemon-busy':
      return mend(
        `The daemon is following ${count(failure.launches, 'launch')}.`,
        "Stop it all the same with '--force': the targets go on, their records say 'lost'.",
      );
    case 'unknown-launch':
      return mend(
        `There is no launch '${failure.launch}' on record.`,
        "'bootcut profile --last 10' shows the newest ones and their ids.",
      );
    case 'no-launches':
      return mend('No launch is on record yet.', "Launch something: 'bootcut run -- true'.");
    case 'no-such-launches':
      return mend(
        `No launch on record fits ${visible(failure.filter)}.`,
        "'bootcut profile --last 10 --json' shows what there is to pick by.",
      );
    case 'unknown-step':
      return mend(
        `There is no plugin or step '${visible(failure.step)}'.`,
        `There are: ${failure.known.map(visible).join(', ')}.`,
      );
    case 'unknown-verb':
      return misuse(`'${visible(failure.verb)}' is no launch verb.`, `There are: ${failure.known.join(', ')}.`);
    case 'no-answer-stored':
      return mend(
        `No answer is stored for '${visible(failure.wanted)}'.`,
        failure.known.length === 0
          ? "None is stored at all: launch something, or 'bootcut cache refresh'."
          : `There are answers of: ${failure.known.map(visible).join(', ')}.`,
      );
    case 'unknown-setting':
      return misuse(`There is no setting '${failure.name}'.`, `There are: ${failure.known.join(', ')}.`);
    case 'bad-setting':
      return misuse(`'${failure.value}' cannot be the value of ${failure.name}.`, `It must be ${failure.expected}.`);
    case 'bad-config-file':
      return mend(
        `${failure.path} cannot be used: ${failure.detail}.`,
        'Mend it, or move it away; bootcut never overwrites a file it cannot read.',
      );
    case 'unknown-bench':
      return failure.wanted === undefined
        ? mend('No bench is on record yet.', "'bootcut bench --help' shows how to run one.")
        : mend(`There is no bench '${visible(failure.wanted)}' on record.`, "'bootcut bench list' shows all of them.");
    case 'other-host':
      return mend(
        `The two benches ran on different hosts (${failure.differences.join('; ')}): their figures cannot be compared.`,
        'Run the base again on this host, in one bench with the variant.',
      );
    case 'runs-failed':
      return mend(
        `${failure.failed} of ${count(failure.total, 'run')} failed or did not settle; they are in none of the figures.`,
        "'--allow-failures' makes that no error.",
      );
    case 'text-changed':
      return mend(
        `${failure.file} is not the text that was registered on ${failure.registeredAt}: ${failure.detail}.`,
        'Restore it, or register the new text before anything is measured under it.',
      );
    case 'bad-argument':
      return misuse(failure.detail, "See the command's '--help'.");
    case 'unknown-optimization':
      return mend(
        `No launch has had the optimization '${visible(failure.optimization)}'.`,
        failure.known.length === 0
          ? "They are for programs: launch one with 'bootcut run -- COMMAND' first."
          : `There are: ${failure.known.map(visible).join(', ')}.`,
      );
    case 'no-standby':
      return mend(
        `No standby can be kept for launches from here: ${visible(failure.detail)}.`,
        "'bootcut standby start --runtime qemu' asks for one; 'bootcut doctor' says what the runtime lacks.",
      );
    case 'directory-exists':
      return mend(`${failure.path} exists already.`, 'Choose another name, or remove it first.');
    case 'internal-error':
      return {
        message: `Internal error: ${failure.detail}`,
        suggestions: ["Please report it, with the end of 'bootcut daemon logs'."],
        exit: 125,
      };
  }
};

const lastStart = ({at, detail}: FailedStart): string =>
  `The last start failed at ${new Date(at).toISOString()}: ${visible(detail)}.`;

/** Who is there and who asks: the two that do not understand each other. */
const versions = (daemon: {readonly protocol: number; readonly build: string} | undefined): string => {
  const ours = `this command speaks protocol ${protocolVersion} and is of build ${buildId}`;
  return daemon === undefined
    ? `It did not say its version; ${ours}.`
    : `It speaks protocol ${daemon.protocol} and is of build ${visible(daemon.build)}; ${ours}.`;
};

const mend = (message: string, suggestion: string): FailureView => ({message, suggestions: [suggestion], exit: 1});

const misuse = (message: string, suggestion: string): FailureView => ({message, suggestions: [suggestion], exit: 2});

/** `1 launch`, `2 launches`. */
export const count = (number: number, noun: string): string =>
  `${number} ${number === 1 ? noun : `${noun}${/(ch|s|x)$/.test(noun) ? 'es' : 's'}`}`;
