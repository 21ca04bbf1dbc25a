import type {DaemonStatus} from '../protocol/asks.js';
import {buildId} from '../system/build-id.js';
import {count} from './failure.js';
import {duration} from './duration.js';

/** `daemon status` as text. */
export const daemonStatusView = (status: DaemonStatus): string =>
  [
    `running for ${duration(status.uptime)}, process ${status.pid}, node ${status.node}`,
    `build     ${status.build}${status.build === buildId ? '' : ` (this command: ${buildId})`}`,
    `socket    ${status.socket}`,
    `launches  ${status.launches.running} running, ${status.launches.served} served`,
    `answers   ${count(status.answers.keptFresh, 'answer')} kept fresh${
      status.answers.nextRefreshIn === null ? '' : `, next refresh in ${duration(status.answers.nextRefreshIn)}`
    }`,
    `memory    ${Math.round(status.memory.rss / 1_048_576)} MiB`,
    `cpu       ${duration((status.cpu.user + status.cpu.system) / 1000)}`,
    ...(status.idleExitIn === null ? [] : [`leaves in ${duration(status.idleExitIn)} if nothing is launched`]),
  ].join('\n');
