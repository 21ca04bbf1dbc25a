import type {LaunchRecord} from '../model/record.js';
import {lineLimit} from './lines-backwards.js';

/**
 * A launch as one line without its end. One that would be too long to be read again (a plugin may time as many parts as
 * it likes) loses its details and says so; the launch itself is never lost to them.
 */
export const recordLine = (record: LaunchRecord): string => {
  const line = JSON.stringify(record);
  const bytes = Buffer.byteLength(line);
  if (bytes <= lineLimit) return line;
  const note = `details left out: with them this record took ${Math.ceil(bytes / 1024)} KiB`;
  return JSON.stringify({
    ...record,
    target: short(record.target),
    steps: record.steps.slice(0, mostSteps).map(({detail, ...step}) => ({
      ...step,
      step: short(step.step),
      ...(detail === undefined ? {} : {detail: short(detail)}),
      spans: [],
    })),
    milestones: [],
    spans: [],
    notes: [...record.notes.slice(0, mostNotes).map(short), note],
  });
};

const mostSteps = 200;
const mostNotes = 20;

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
