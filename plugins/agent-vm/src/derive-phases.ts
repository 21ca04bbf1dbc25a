import type {DerivedSpan, Launch, Milestone, Moment, Observation, PhaseMarks} from 'bootcut/plugin';
import {launchCommand} from './command.js';
import {type LaunchNote, recallLaunch} from './launch-notes.js';
import {profileDurations} from './profile-lines.js';
import {checkDelaysBoot} from './release.js';
import {scanArguments} from './scan-arguments.js';
import {type Stamps, stampLines} from './stamp-lines.js';

/**
 * Places the phases of a finished launch by when agent-vm's lines arrived on stderr. Nothing is claimed when none of
 * them was seen (help, a usage error, or a launch whose stderr we left alone).
 */
export const derivePhases = (launch: Launch, seen: Observation): PhaseMarks => {
  const stamps = stampLines(seen);
  if (stamps.session === undefined) return {milestones: [], spans: []};
  const ended = seen.endedAt;
  return {
    // What was not reached did not take any time: it lies at the end, or failing to boot would look like running.
    bootAt: stamps.booting ?? ended,
    runAt: stamps.running ?? ended,
    teardownAt: stamps.stopping ?? ended,
    milestones: milestonesOf(stamps),
    spans: [...preBootSpans(launch, seen, stamps), ...sandboxSpans(ended, stamps)],
  };
};

const milestonesOf = (stamps: Stamps): readonly Milestone[] => {
  const named: readonly (readonly [string, Moment | undefined])[] = [
    ['session-ready', stamps.session],
    ['repos-known', stamps.repos],
    ['identity-known', stamps.identity],
    ['sandbox-booting', stamps.booting],
    ['sandbox-running', stamps.running],
    ['sandbox-stopping', stamps.stopping],
  ];
  return named.flatMap(([name, at]) => (at === undefined ? [] : [{name, at}]));
};

const preBootSpans = (launch: Launch, seen: Observation, stamps: Stamps): readonly DerivedSpan[] => {
  const note = recallLaunch(launch.id);
  return [
    ...span('session+reap', seen.startedAt, stamps.session),
    ...repoSpans(isCheckAside(launch, note), stamps),
    ...secretSpans(note, stamps),
    ...span('build', stamps.identity, stamps.booting),
  ];
};

/** A banner in between tells where a check that delays the boot ended; without one the two cannot be told apart. */
const repoSpans = (isAside: boolean, {session, banner, repos}: Stamps): readonly DerivedSpan[] => {
  if (isAside) return span('repo-detect', session, repos);
  if (banner === undefined) return span('update-check+repo-detect', session, repos);
  return [...span('update-check', session, banner), ...span('repo-detect', banner, repos)];
};

/** Does agent-vm's own update check delay nothing? What is not known counts as delaying. */
const isCheckAside = (launch: Launch, note: LaunchNote | undefined): boolean => {
  if (note !== undefined) return note.checkIsOff || !checkDelaysBoot(note.release);
  const args = launchCommand(launch)?.args ?? [];
  return scanArguments(args, Number.POSITIVE_INFINITY).given.has('no-update-check');
};

/** agent-vm says nothing between the two unless it found OpenCode keys (≥ v0.1.28) or had no need to ask GitHub. */
const secretSpans = (note: LaunchNote | undefined, {repos, secrets, identity}: Stamps): readonly DerivedSpan[] => {
  if (note?.identityIsReady === true) return span('secrets', repos, identity);
  if (secrets === undefined) return span('secrets+identity', repos, identity);
  return [...span('secrets', repos, secrets), ...span('gh api user', secrets, identity)];
};

const sandboxSpans = (endedAt: Moment, stamps: Stamps): readonly DerivedSpan[] => {
  const {booting, running, stopping} = stamps;
  const created = later(booting, profileDurations(stamps.bootLines, ['create']).create);
  const {stop, remove} = profileDurations(stamps.endLines, ['stop', 'remove']);
  const stopped = later(stopping, stop);
  const removed = later(stopped, remove);
  return [
    ...(created === undefined
      ? span('create', booting, running)
      : [...span('create', booting, created), ...span('api-check', created, running)]),
    ...span('run', running, stopping ?? endedAt),
    ...(stopped === undefined || removed === undefined
      ? span('stop+remove', stopping, endedAt)
      : [...span('stop', stopping, stopped), ...span('remove', stopped, removed)]),
  ];
};

const span = (name: string, from: Moment | undefined, to: Moment | undefined): readonly DerivedSpan[] =>
  from === undefined || to === undefined ? [] : [{name, from, to: to < from ? from : to}];

const later = (from: Moment | undefined, duration: number | undefined): Moment | undefined =>
  from === undefined || duration === undefined ? undefined : ((from + duration) as Moment);
