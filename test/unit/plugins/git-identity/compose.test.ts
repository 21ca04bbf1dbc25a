import {describe, test} from 'vitest';
import plugin, {identityOrder} from '../../../../plugins/git-identity/src/index.js';

const DIRECTORY = {name: 'Here', email: 'here@example.com'};
const GLOBAL = {name: 'Home', email: 'home@example.com'};
const USER = {login: 'octo-cat', id: 1, name: 'Octo', email: 'octo@example.com'};

const chosen = (answers: Parameters<typeof plugin.compose>[0]) => plugin.compose(answers);
const provided = (value: object) => [{kind: 'provide', name: 'git-identity', value}];

describe('the identity handed to the runtime', () => {
  test('is first the one for this directory, without GitHub’s login', ({expect}) => {
    expect(chosen({git: {directory: DIRECTORY, global: GLOBAL}, github: USER})).toEqual(provided(DIRECTORY));
  });

  test('is then GitHub’s, with the login', ({expect}) => {
    const expected = provided({name: 'Octo', email: 'octo@example.com', login: 'octo-cat'});
    expect(chosen({git: {directory: null, global: GLOBAL}, github: USER})).toEqual(expected);
    expect(chosen({github: USER})).toEqual(expected);
  });

  test('is last git’s global one', ({expect}) => {
    expect(chosen({git: {directory: null, global: GLOBAL}})).toEqual(provided(GLOBAL));
  });

  test('is none without any', ({expect}) => {
    expect(chosen({git: {directory: null, global: null}})).toEqual([]);
    expect(chosen({})).toEqual([]);
  });

  test('is documented in that order', ({expect}) => {
    const places = ['directory in particular', 'GitHub account', 'global identity'].map((text) =>
      identityOrder.indexOf(text),
    );
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('comes from two private lookups that a launch needs before the target runs', ({expect}) => {
    const steps = plugin.steps.map(({name, kind, neededBy, private: isPrivate, freshFor, keepFor}) => {
      return {name, kind, neededBy, isPrivate, hours: freshFor / 3_600_000, days: keepFor / 86_400_000};
    });
    const same = {kind: 'lookup', neededBy: 'run', isPrivate: true, hours: 24, days: 7};
    expect(steps).toEqual([
      {name: 'github', ...same},
      {name: 'git', ...same},
    ]);
  });
});
