import type {Directories} from '../config/directories.js';
import {failed, type Result} from '../model/failure.js';
import {askDaemon} from '../protocol/ask.js';
import type {DaemonStatus} from '../protocol/asks.js';
import {lastFailedStart} from './ensure-daemon.js';

/** What the daemon says of itself, or why it says nothing. Never starts one. */
export const readDaemonStatus = async (directories: Directories): Promise<Result<DaemonStatus>> => {
  const {socket, state, complaint} = directories;
  if (socket === undefined) return failed({reason: 'no-state-directory', complaint: complaint ?? ''});
  const status = await askDaemon(socket, {kind: 'status'});
  if (status.ok || status.failure.reason !== 'daemon-not-running') return status;
  return failed({reason: 'daemon-not-running', lastStart: lastFailedStart(state)});
};
