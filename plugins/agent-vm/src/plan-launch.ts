import {fileIdentity, type Json, type Launch, type PlanEdit} from 'bootcut/plugin';
import {type LaunchCommand, launchCommand} from './command.js';
import {findBinary} from './find-binary.js';
import {ghShimEdits} from './gh-shim.js';
import {identityFileEdits, identityPath, readIdentityFile} from './identity-file.js';
import {rememberLaunch} from './launch-notes.js';
import {isLeftOut} from './left-out.js';
import {imageOf, pulledDigest} from './pulled-marker.js';
import {flagStopsMarker, hasVerb, knownRelease, readsIdentityFile} from './release.js';
import {type Scan, scanArguments} from './scan-arguments.js';

type Answers = Readonly<Record<string, Json>>;

/** A shell's status for a command that is not there. */
const notFound = 127;

const observe: PlanEdit = {kind: 'observe-stderr', prefixes: ['==> ', '[profile] ']};

/** The whole plan of one launch: which file runs, and what its release lets us spare it. */
export const planLaunch = (launch: Launch, answers: Answers): readonly PlanEdit[] => {
  const binary = findBinary(launch);
  if (binary.kind === 'missing') return [{kind: 'refuse', text: binary.text, status: notFound}];
  const command = launchCommand(launch);
  const executable: PlanEdit = {kind: 'executable', path: binary.path};
  if (command === undefined) return launch.argv[0] === 'agent-vm' ? [executable] : [executable, prefixed(['agent-vm'])];
  const release = binary.decidesVersion ? knownRelease(answers['agent-vm/version']) : undefined;
  const levers = release === undefined ? noLevers : leversFor({launch, answers, command, release});
  return [executable, ...commandEdits(launch, command, levers.flags), observe, ...levers.edits];
};

interface Levers {
  /** Options to put directly after the verb. */
  readonly flags: readonly string[];
  readonly edits: readonly PlanEdit[];
}

const noLevers: Levers = {flags: [], edits: []};

interface Situation {
  readonly launch: Launch;
  readonly answers: Answers;
  readonly command: LaunchCommand;
  readonly release: number;
}

const leversFor = (situation: Situation): Levers => {
  const {launch, command, release} = situation;
  const scan = scanArguments(command.args, release);
  if (scan.help || !hasVerb(release, command.verb)) return noLevers;
  const flags = mayStopCheck(situation, scan) ? ['--no-update-check'] : [];
  const path = readsIdentityFile(release) ? identityPath(launch) : undefined;
  const edits = identityEdits(situation);
  rememberLaunch(launch.id, {
    release,
    checkIsOff: flags.length > 0 || scan.given.has('no-update-check'),
    identityIsReady: edits.length > 0 || (path !== undefined && readIdentityFile(path) !== undefined),
    identityFile: path === undefined ? undefined : {path, identity: fileIdentity(path)},
  });
  return {flags, edits};
};

/** Our own check stands in for agent-vm's, so ours must run, and must have a digest to compare with. */
const mayStopCheck = ({launch, release}: Situation, scan: Scan): boolean => {
  if (scan.given.has('no-update-check') || isLeftOut(launch, 'no-update-check')) return false;
  return !flagStopsMarker(release) || pulledDigest(launch, imageOf(launch, scan)) !== undefined;
};

const identityEdits = ({launch, answers, release}: Situation): readonly PlanEdit[] => {
  if (readsIdentityFile(release)) return isLeftOut(launch, 'identity-file') ? [] : identityFileEdits(launch, answers);
  return isLeftOut(launch, 'gh-shim') ? [] : ghShimEdits(launch, answers);
};

const commandEdits = (launch: Launch, command: LaunchCommand, flags: readonly string[]): readonly PlanEdit[] => {
  // `run` without a command is an interactive shell; with one, `--` keeps its options from being agent-vm's.
  const separator = command.at === undefined && launch.argv.length > 0 ? ['--'] : [];
  const prefix = command.at === undefined ? [...command.prefix, ...flags, ...separator] : command.prefix;
  const inserted: readonly PlanEdit[] =
    command.at === undefined || flags.length === 0 ? [] : [{kind: 'insert-args', at: command.at, args: flags}];
  return [...(prefix.length > 0 ? [prefixed(prefix)] : []), ...inserted];
};

const prefixed = (args: readonly string[]): PlanEdit => ({kind: 'prefix-args', args});
