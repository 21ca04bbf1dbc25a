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

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the published schema', () => {
  test('describes every profile, whatever a record says', ({expect}) => {
    const launches = Array.from({length: 1000}, (_, seed) => profileLaunch(randomRecord(seed)));
    validate(overTheWire({launches}));
    expect(validate.errors).toBeNull();
  });

  test('describes a profile with everything that may be there', ({expect}) => {
    const record = makeRecord({
      via: 'in-process',
      viaReason: 'daemon-absent',
      notes: ['a note'],
      outcome: {kind: 'not-started', code: 126, detail: 'permission denied'},
    });
    validate(overTheWire({launches: [profileLaunch(record)]}));
    expect(validate.errors).toBeNull();
  });

  test('allows no key that it does not describe', ({expect}) => {
    expect(validate({launches: [{...profileLaunch(makeRecord()), surprise: 1}]})).toBe(false);
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
