import assert from 'node:assert/strict';
import {test} from 'node:test';
import plugin from './index.js';

const [step] = plugin.steps;
const launch = {env: process.env, cwd: process.cwd(), settings: {}};

test('a version is an answer, anything else is not', () => {
  assert.equal(step.parse('10.9.2'), '10.9.2');
  for (const stored of ['', 'command not found', 10, null, {}]) assert.throws(() => step.parse(stored));
});

test('the target is told the version', () => {
  assert.deepEqual(step.apply('10.9.2', launch), [{kind: 'set-env', name: 'NPM_VERSION', value: '10.9.2'}]);
});

test('the key is another one for another npm', () => {
  const elsewhere = {...launch, env: {...process.env, PATH: '/nonexistent'}};
  assert.notDeepEqual(step.key(launch), step.key(elsewhere));
});

test('npm answers with a version', {skip: !step.when(launch)}, async () => {
  const answer = await step.read(launch, {signal: AbortSignal.timeout(30_000)});
  assert.equal(step.parse(answer), answer);
});
