import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {absentIdentity, defineOptimization, fileIdentity} from 'bootcut/plugin';
import {readAheadProgram} from './native.js';
import {pageList, writeList} from './page-list.js';
import {type ReadAheadDone, readAhead} from './read-ahead.js';
import {memoryBudget} from './settings.js';
import {shareRuns} from './share-run.js';
import {subjectOf} from './subject.js';
import {takeSeen, watch} from './watch.js';

/** Share of a list's files that may have changed before it is made anew. */
const mostStale = 0.25;

/** Launches of one program at the same time need its pages read once. */
const share = shareRuns<ReadAheadDone>();

/** Pages of a program's files, read while it starts. */
export const pages = defineOptimization({
  name: 'pages',
  summary: 'reads ahead what a program reads at its start (where the page cache is cold)',

  plan: (launch, {directory}) => {
    if (memoryBudget(launch) === 0 || readAheadProgram() === undefined) return undefined;
    const subject = subjectOf(launch);
    if (subject === undefined) return undefined;
    const prepared = fileIdentity(join(directory, subject.fileName));
    return {
      subject: subject.key,
      label: subject.label,
      ...(prepared === absentIdentity ? {} : {use: [], prepared}),
    };
  },

  ahead: true,
  warmUp: async (launch, {directory, signal, ahead}) => {
    const [program, subject] = [readAheadProgram(), subjectOf(launch)];
    if (program === undefined || subject === undefined) return undefined;
    const list = join(directory, subject.fileName);
    if (fileIdentity(list) === absentIdentity) return undefined;
    const budget = memoryBudget(launch);
    const done = await share(`${ahead} ${list}`, signal, (wanted) =>
      readAhead(launch, {program, list, budget, idle: ahead, signal: wanted}),
    );
    if (done === undefined) return {shared: true};
    if (isStale(done)) rmSync(list, {force: true}); // the next launch is learnt from
    return done;
  },

  watch,

  prepare: async (launch, {directory}) => {
    const [seen, subject] = [takeSeen(launch), subjectOf(launch)];
    if (seen === undefined || subject === undefined) throw new Error('it was over before there was anything to see');
    const list = pageList(seen.files, memoryBudget(launch));
    if (list.files === 0) throw new Error('it read no file that could be read ahead');
    writeList(join(directory, subject.fileName), list);
    const mebibytes = Math.ceil(list.bytes / 1_048_576);
    return {bytes: Buffer.byteLength(list.text), detail: `${list.files} files, ${mebibytes} MiB`};
  },
});

/** Have the files changed since they were seen? */
const isStale = (done: ReadAheadDone): boolean => {
  const [stale, files] = [Number(done['stale'] ?? 0), Number(done['files'] ?? 0)];
  return stale > mostStale * (stale + files);
};
