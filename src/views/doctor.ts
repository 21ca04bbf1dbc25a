import type {DoctorFinding} from '../model/inspection.js';
import {visible} from '../system/visible.js';
import {count} from './failure.js';

/** `doctor` as text: one line for each finding, advice below it, and the sum. */
export const doctorText = (findings: readonly DoctorFinding[]): string => {
  const names = findings.map(({area, name}) => visible(`${area}: ${name}`));
  const width = Math.max(...names.map((name) => name.length));
  const lines = findings.flatMap(({state, text, advice}, index) => [
    `${marks[state]}  ${(names[index] ?? '').padEnd(width)}  ${visible(text)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}${visible(advice)}`]),
  ]);
  return [...lines, '', summary(findings)].join('\n');
};

const marks: Readonly<Record<DoctorFinding['state'], string>> = {
  ok: 'ok     ',
  warning: 'warning',
  fault: 'FAULT  ',
};

const summary = (findings: readonly DoctorFinding[]): string => {
  const of = (state: DoctorFinding['state']): number => findings.filter((finding) => finding.state === state).length;
  const [faults, warnings] = [of('fault'), of('warning')];
  if (faults + warnings === 0) return 'Everything is in order.';
  return `${faults === 0 ? 'No faults' : count(faults, 'fault')}, ${count(warnings, 'warning')}.`;
};
