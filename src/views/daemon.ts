import type {DaemonStatus} from '../protocol/asks.js';
import {protocolVersion} from '../protocol/messages.js';
import {buildId} from '../system/build-id.js';
import {visible} from '../system/visible.js';
import {duration} from './duration.js';
import {count} from './failure.js';

/** `daemon status` as text. */
export const daemonStatusView = (status: DaemonStatus): string =>
  [
    `running for ${duration(status.uptime)}, process ${status.pid}, node ${visible(status.node)}`,
    `build     ${versionText(status)}`,
    `socket    ${visible(status.socket)}`,
    `launches  ${status.launches.running} running, ${status.launches.served} served`,
    `answers   ${count(status.answers.keptFresh, 'answer')} kept fresh${
      status.answers.nextRefreshIn === null ? '' : `, next refresh in ${duration(status.answers.nextRefreshIn)}`
    }`,
    `ready     listened after ${duration(status.ready.listening)}, could plan a launch after ${
      status.ready.planning === null ? 'more than that: its plugins are loading' : duration(status.ready.planning)
    }`,
    `memory    ${Math.round(status.memory.rss / 1_048_576)} MiB`,
    `cpu       ${duration((status.cpu.user + status.cpu.system) / 1000)}`,
    ...(status.idleExitIn === null ? [] : [`leaves in ${duration(status.idleExitIn)} if nothing is launched`]),
  ].join('\n');

/** One version where both are the same, else both. */
const versionText = ({build, protocol}: DaemonStatus): string => {
  const theirs = `${visible(build)}, protocol ${protocol}`;
  if (build === buildId && protocol === protocolVersion) return visible(build);
  return `${theirs} (this command: ${buildId}, protocol ${protocolVersion}); 'bootcut daemon restart' replaces it`;
};

/** `daemon start` as text. */
export const daemonStartedView = ({
  came,
  status,
}: {
  readonly came: 'started' | 'replaced' | 'was-running' | 'kept';
  readonly status: DaemonStatus;
}): string => {
  switch (came) {
    case 'started':
      return `The daemon is ready: process ${status.pid}.`;
    case 'replaced':
      return `The daemon is ready: process ${status.pid}, in the place of an older one.`;
    case 'was-running':
      return `The daemon was running already: process ${status.pid}.`;
    case 'kept':
      return [
        `The daemon that runs already is of another build and stays: process ${status.pid}, ${visible(status.build)}`,
        `(this command: ${buildId}).`,
        status.launches.running > 0 ? `It follows ${count(status.launches.running, 'launch')}.` : 'It is newer.',
        "'bootcut daemon restart' replaces it all the same.",
      ].join(' ');
  }
};

/** `daemon stop` as text. */
export const daemonStoppedView = ({
  how,
  pid,
}: {
  readonly how: 'not-running' | 'asked' | 'terminated' | 'killed';
  readonly pid: number | null;
}): string => {
  const name = pid === null ? 'The daemon' : `The daemon (process ${pid})`;
  switch (how) {
    case 'not-running':
      return 'The daemon was not running.';
    case 'asked':
      return `${name} has stopped.`;
    case 'terminated':
      return `${name} could not be talked to; it was ended by SIGTERM.`;
    case 'killed':
      return `${name} could not be talked to and did not heed SIGTERM; it was ended by SIGKILL.`;
  }
};
