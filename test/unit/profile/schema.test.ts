import {readFileSync} from 'node:fs';
import {Ajv2020, type AnySchemaObject} from 'ajv/dist/2020.js';
import {describe, test} from 'vitest';
import {profileLaunch} from '../../../src/profile/profile-launch.js';
import {makeRecord} from '../record/sample-record.js';
import {randomRecord} from './random-record.js';

const schema = JSON.parse(
  readFileSync(new URL('../../../schemas/profile.schema.json', import.meta.url), 'utf8'),
) as AnySchemaObject;

/** strictRequired finds names in `required` that are described nowhere. */
const validate = new Ajv2020({strict: true, strictRequired: true, allErrors: true}).compile(schema);

/** What the schema has against a value as it arrives at a reader; null when nothing. */
const faultsOf = (value: unknown): unknown => {
  const isValid = validate(JSON.parse(JSON.stringify(value)));
  return isValid === true ? null : validate.errors;
};

describe('the published schema', () => {
  test('describes every profile, whatever a record says', ({expect}) => {
    const launches = Array.from({length: 1000}, (_, seed) => profileLaunch(randomRecord(seed)));
    expect(faultsOf({launches})).toBeNull();
  });

  test('describes a profile with everything that may be there', ({expect}) => {
    const record = makeRecord({
      via: 'in-process',
      viaReason: 'daemon-absent',
      notes: ['a note'],
      outcome: {kind: 'not-started', code: 126, detail: 'permission denied'},
    });
    expect(faultsOf({launches: [profileLaunch(record)]})).toBeNull();
  });

  test('allows no key that it does not describe', ({expect}) => {
    const launch = profileLaunch(makeRecord());
    expect(faultsOf({launches: [launch]})).toBeNull();
    expect(faultsOf({launches: [{...launch, surprise: 1}]})).not.toBeNull();
    expect(faultsOf({launches: [launch], surprise: 1})).not.toBeNull();
  });

  test('describes each field: every length, moment and share says its unit', ({expect}) => {
    const launch = (schema as {$defs: {launch: {properties: Record<string, {description?: string; $ref?: string}>}}})
      .$defs.launch.properties;
    const bare = Object.entries(launch).filter(
      ([, {description, $ref}]) => description === undefined && $ref !== '#/$defs/outcome',
    );
    expect(bare).toEqual([]);
    const unitless = Object.entries(launch).filter(
      ([name, {description}]) => name.endsWith('Ms') && !/[Mm]illiseconds/.test(description ?? ''),
    );
    expect(unitless).toEqual([]);
  });

  test('is named relative to where it lies', ({expect}) => {
    expect(schema['$id']).toBe('profile.schema.json');
  });
});
