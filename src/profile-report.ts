import type {LaunchRecord} from './model/record.js';
import {blameOf} from './profile/blame.js';
import {compareRows, type GroupComparison, wasRun} from './profile/compare-rows.js';
import {groupOf, type LaunchFilter} from './profile/launch-filter.js';
import {historyOf} from './profile/launch-history.js';
import type {MetricName} from './profile/launch-row.js';
import {profileLaunch} from './profile/profile-launch.js';
import {whatIf} from './profile/what-if.js';
import {filterWords} from './profile-command.js';
import type {RecordLog} from './record/record-log.js';
import {profileReport} from './views/profile-report.js';

/** Launches in the page's history, and in each of its groups: as many dots as can be told apart. */
const mostLaunches = 200;

const metrics: readonly MetricName[] = ['ready', 'pre-boot', 'boot'];

/** The groups that the page compares, where the reader names some. */
interface Groups {
  readonly a: LaunchFilter | undefined;
  readonly b: LaunchFilter | undefined;
}

/** The page about one launch: what is on record of others like it goes beside it. */
export const reportText = async (log: RecordLog, record: LaunchRecord, groups: Groups): Promise<string> => {
  const own = groupOf(record);
  const rows = [...log.rows(own, mostLaunches)].reverse().filter(wasRun);
  return profileReport({
    launch: profileLaunch(record),
    blame: blameOf([record]),
    room: whatIf(record, []).steps,
    history: {
      launches: rows.length,
      onRecord: log.count,
      metrics: metrics.map((metric) => historyOf(rows, metric)),
    },
    groups: groupsOf(log, own, groups),
  });
};

/** The groups as they were named, within the launch's target unless they name another; else warm against cold. */
const groupsOf = (log: RecordLog, own: LaunchFilter, {a, b}: Groups): GroupComparison | null => {
  const {temperature: _, ...target} = own;
  const group = (named: LaunchFilter | undefined, usual: LaunchFilter) => {
    const filter = named ?? usual;
    return {name: filterWords(filter), rows: log.rows({...target, ...filter}, mostLaunches)};
  };
  return compareRows(group(a, {temperature: 'warm'}), group(b, {temperature: 'cold'}), [...metrics, 'total']) ?? null;
};
