import {join} from 'node:path';
import type {Directories} from '../config/directories.js';
import {refusalPlan} from '../launch/compose-plan.js';
import {createEngine} from '../launch/create-engine.js';
import type {ReadinessSeen} from '../launch/finish.js';
import type {LaunchRequest} from '../model/launch.js';
import type {Outcome} from '../model/record.js';
import type {ObservedLine} from '../model/step.js';
import type {Moment} from '../model/units.js';
import {outcomeOf} from '../protocol/outcome.js';
import type {Progress} from '../protocol/progress-codec.js';
import {buildId} from '../system/build-id.js';
import {systemClock} from '../system/clock.js';
import {openLog} from '../system/log-file.js';
import type {PlanSource} from './plan-source.js';

/** The same steps, cache and record as with the daemon, done in this process. `reason`: why there is no daemon. */
export const planInProcess = async (
  directories: Directories,
  request: LaunchRequest,
  reason: string,
): Promise<{readonly kind: 'planned'; readonly source: PlanSource} | {readonly kind: 'help'}> => {
  const log =
    directories.state === undefined ? () => undefined : openLog(join(directories.state, 'log', 'launches.log'));
  const owned = await createEngine(directories, log);
  const prepared = await owned.engine.prepare(request, 'in-process');
  if (prepared.kind === 'help') {
    await owned.close(); // the process goes on, and must be able to end
    return {kind: 'help'};
  }
  if (prepared.kind === 'refused') return {kind: 'planned', source: refusal(prepared)};
  if (prepared.kind === 'in-process') throw new Error('Internal error: an in-process launch was handed back');

  let startedAt: Moment | undefined;
  let ended: {readonly at: Moment; readonly outcome: Outcome} | undefined;
  let readiness: ReadinessSeen | undefined;
  const {until} = prepared.launch.options;
  const lines: ObservedLine[] = [];
  return {
    kind: 'planned',
    source: {
      plan: prepared.plan,
      noDaemon: prepared.launch.options.noDaemon,
      ...(until === undefined ? {} : {until}),
      reportReadiness: (seen) => {
        readiness = seen;
      },
      report: (progress: Progress) => {
        if (progress.kind === 'started') startedAt = progress.at;
        else if (progress.kind === 'line') lines.push(progress);
        else if (progress.kind === 'ended') ended = {at: progress.at, outcome: outcomeOf(progress)};
      },
      finish: async () => {
        await owned.engine.finish(prepared, {
          startedAt,
          lines,
          endedAt: ended?.at,
          readiness,
          outcome: ended?.outcome ?? {kind: 'lost'},
          doneAt: () => systemClock.now(),
          via: 'in-process',
          viaReason: reason === 'in-process' ? 'no-daemon' : reason,
          build: buildId,
        });
      },
    },
  };
};

const refusal = (refused: {readonly text: string; readonly status: number}): PlanSource => ({
  plan: refusalPlan(refused),
  noDaemon: true,
  report: () => undefined,
  finish: async () => undefined,
});
