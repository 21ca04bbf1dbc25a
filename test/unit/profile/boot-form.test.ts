import {describe, test} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {bootForm, bootForms} from '../../../src/profile/boot-form.js';

const said = (...names: readonly string[]): Pick<LaunchRecord, 'milestones'> => ({
  milestones: names.map((name, at) => ({name, at: ms(at)})),
});

/** Of the fields that are looked at. */
const launch = (form: string, took: number, runs = true): LaunchRecord =>
  ({
    ...said(form),
    runtime: 'qemu',
    phases: [{name: 'boot', from: 10, to: 10 + took}, ...(runs ? [{name: 'run', from: 10 + took, to: 10 + took}] : [])],
  }) as unknown as LaunchRecord;

describe('how a launch came by its VM', () => {
  test('is the last thing that its runtime says of it', ({expect}) => {
    expect(bootForm(said('vm-started', 'kernel-entered', 'vm-ended'))).toBe('cold');
    expect(bootForm(said('vm-restored', 'command-started'))).toBe('restored');
    expect(bootForm(said('vm-resumed', 'command-started'))).toBe('paused');
    expect(bootForm(said('vm-resumed', 'vm-restored', 'vm-started', 'command-started'))).toBe('cold');
    expect(bootForm(said('vm-joined'))).toBe('joined');
    expect(bootForm(said('ready'))).toBeUndefined();
  });

  test('has a row for each form, with the median of what its boots took, of launches that ran alone', ({expect}) => {
    const records = [
      ...[1500, 1700, 9000].map((took) => launch('vm-started', took)),
      launch('vm-started', 60_000, false),
      ...[180, 200].map((took) => launch('vm-restored', took)),
      launch('vm-resumed', 5),
      launch('ready', 1),
    ];
    expect(bootForms(records)).toEqual([
      {form: 'paused', runtime: 'qemu', launches: 1, bootMs: 5},
      {form: 'restored', runtime: 'qemu', launches: 2, bootMs: 190},
      {form: 'cold', runtime: 'qemu', launches: 3, bootMs: 1700},
    ]);
  });
});
