import {timelineTsv} from '../timeline/tsv.js';
import type {BenchRun} from './result.js';

/** One run's milestones as tab-separated values, in milliseconds since just before the start of the target. */
export const runTsv = ({milestones, metrics}: BenchRun): string =>
  timelineTsv(
    milestones.map(({name, at, source, slack, detail}) => ({
      ms: at,
      name,
      source,
      slackMs: slack?.mostMs ?? 0,
      data: metrics[name] === undefined ? (detail ?? '') : JSON.stringify({value: metrics[name]}),
    })),
  );
