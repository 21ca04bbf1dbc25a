import {type Json, type Launch, ms, NoAnswer, run} from 'bootcut/plugin';
import {memoryPressure} from './pressure.js';

/** Longest time that reading ahead may take; afterwards the program has read it by itself. */
const limit = ms(20_000);

interface ReadAhead {
  readonly program: string;
  readonly list: string;
  /** Bytes. */
  readonly budget: number;
  /** Nobody waits for it: the disk is for others first. */
  readonly idle: boolean;
  readonly signal: AbortSignal;
}

/** What came of it, for the record: `skipped` and why, or `files`, `stale` (changed since), bytes `asked` for and `read` from disk. */
export type ReadAheadDone = Readonly<Record<string, Json>>;

/** Has the kernel read what the list names. */
export const readAhead = async (
  launch: Launch,
  {program, list, budget, idle, signal}: ReadAhead,
): Promise<ReadAheadDone> => {
  const pressure = memoryPressure(budget);
  if (pressure !== undefined) return {skipped: pressure};
  const command = [program, list, String(budget), ...(idle ? ['idle'] : [])];
  const {code, stdout} = await run(launch, command, {signal, limit, env: {LD_PRELOAD: undefined}, cwd: '/'});
  if (code !== 0) throw new NoAnswer('malformed', `${program} ended with ${code}`);
  return JSON.parse(stdout) as ReadAheadDone;
};
