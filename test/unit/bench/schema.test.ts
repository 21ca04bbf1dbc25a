import {readFileSync} from 'node:fs';
import {Ajv2020, type AnySchemaObject} from 'ajv/dist/2020.js';
import {beforeAll, describe, expect, it} from 'vitest';
import {makeReport} from '../../../src/bench/make-report.js';
import type {BenchReport} from '../../../src/bench/report.js';
import {benched, tell, tellValue} from './benched.js';

const schema = JSON.parse(
  readFileSync(new URL('../../../schemas/bench.schema.json', import.meta.url), 'utf8'),
) as AnySchemaObject;

/** strictRequired finds names in `required` that are described nowhere. */
const ajv = new Ajv2020({strict: true, strictRequired: true, allowUnionTypes: true, allErrors: true}).addSchema(schema);

/** What the schema has against a value as it arrives at a reader; null when nothing. */
const faultsOf = (value: unknown, kind: 'report' | 'result'): unknown => {
  const validate = ajv.getSchema(`bench.schema.json#/$defs/${kind}`);
  if (validate === undefined) throw new Error(`the schema has no ${kind}`);
  return validate(JSON.parse(JSON.stringify(value))) === true ? null : validate.errors;
};

/** A target that reports everything there is to report, and one that fails. */
const talkative = [
  tell('seen'),
  tell('often'),
  tell('often'),
  tellValue('boot_time_ms', '5'),
  `printf 'import\\t{"took":1}\\n' >>"$BOOTCUT_TIMELINE"; echo ready; sleep 0.1`,
].join('\n');

describe('the published schema of benches', () => {
  let report: BenchReport;
  beforeAll(async () => {
    report = await benched(
      {
        variants: [
          {name: 'A', command: ['sh', '-c', talkative], env: {X: '1', Y: null}, prepare: ['true'], cleanup: ['true']},
          {name: 'B', command: ['sh', '-c', 'echo broken >&2; exit 3'], temperature: ['warm']},
          {name: 'C'},
        ],
        rounds: 9,
        warmups: 1,
        marks: ['seen=log:ready'],
        threads: true,
      },
      {
        predictions: [{of: 'exit', variant: 'A', what: 'median', from: 1, to: 2, culprit: 'nobody'}],
        actAbove: 0.2,
        bench: undefined,
      },
    );
  }, 60_000);

  it('describes a report with everything that may be in it', () => {
    // Without these the test would show nothing.
    expect(report.rows.map(({kind}) => kind)).toEqual(expect.arrayContaining(['milestone', 'metric', 'count']));
    for (const list of [report.notOk, report.markGaps, report.attribution, report.predictions]) {
      expect(list.length).toBeGreaterThan(0);
    }
    expect(report.result.runs.some(({windows}) => windows !== undefined)).toBe(true);
    expect(faultsOf(report, 'report')).toBeNull();
  });

  it('describes what is kept of a bench, also of one that has hardly begun or was dropped', () => {
    const {result} = report;
    const registered = {id: '1', hash: 'a', registeredAt: '2026', commit: null};
    const through = {verb: 'shell', runtime: 'qemu', memory: '1G', with: [], without: ['a']};
    for (const kept of [
      result,
      {...result, runs: [], state: 'running' as const},
      {...result, registered, dropped: {at: '2026', why: 'no better'}},
      {...result, variants: [{...result.variants[0], through}]},
    ]) {
      expect(faultsOf(kept, 'result')).toBeNull();
    }
    expect(faultsOf(makeReport({...result, runs: []}), 'report')).toBeNull();
  });

  it('allows no key that it does not describe, and lacks none', () => {
    expect(faultsOf({...report, surprise: 1}, 'report')).not.toBeNull();
    expect(faultsOf({...report, result: {...report.result, surprise: 1}}, 'report')).not.toBeNull();
    const {seed: _, ...lacking} = report.result;
    expect(faultsOf(lacking, 'result')).not.toBeNull();
  });
});
