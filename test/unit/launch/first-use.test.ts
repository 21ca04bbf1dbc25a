import {describe, it, vi} from 'vitest';
import type {Question} from '../../../src/launch/asking.js';
import {splitQuestions, triggerText} from '../../../src/launch/first-use.js';
import {commandEdits, readCommandUse, readFileUse, readPortUse} from '../../../src/launch/use-shape.js';
import type {Trigger} from '../../../src/model/first-use.js';

const program = vi.hoisted(() => ({path: undefined as string | undefined}));
vi.mock(import('../../../src/launch/first-use-place.js'), async (original) => ({
  ...(await original()),
  firstUseProgram: () => program.path,
}));

const question = (trigger: Trigger | undefined): Question =>
  ({info: {plugin: 'later', name: 'work', ...(trigger === undefined ? {} : {trigger})}}) as unknown as Question;

describe('questions that are put off', () => {
  const [command, file, port, none] = [
    question({command: 'certutil'}),
    question({file: 'NAME'}),
    question({port: 'NAME'}),
    question(undefined),
  ];

  it('are those with a trigger', ({expect}) => {
    program.path = '/somewhere/bootcut-first-use';
    expect(splitQuestions([command, file, port, none])).toEqual({now: [none], later: [command, file, port]});
  });

  it('do not include one for a command where there is no shim: it is done before', ({expect}) => {
    program.path = undefined;
    expect(splitQuestions([command, file, port, none])).toEqual({now: [command, none], later: [file, port]});
    expect(commandEdits({env: {A: '1', B: ''}})).toEqual([
      {kind: 'set-env', name: 'A', value: '1'},
      {kind: 'set-env', name: 'B', value: ''},
    ]);
  });

  it('say what they wait for', ({expect}) => {
    expect([{command: 'gh'}, {file: '~/x'}, {port: 80}].map((trigger) => triggerText(trigger as Trigger))).toEqual([
      'gh is run',
      '~/x is opened',
      'port 80 is connected to',
    ]);
  });
});

describe('what a step that was put off gives', () => {
  it('is taken when it is what its trigger takes', ({expect}) => {
    expect([undefined, null, {}, {env: {A: 'x'}}].map(readCommandUse)).toEqual([{}, {}, {}, {env: {A: 'x'}}]);
    expect(readFileUse({text: ''})).toEqual({text: ''});
    expect([{port: 1}, {host: 'far', port: 65_535}, {socket: '/run/x'}].map(readPortUse)).toEqual([
      {port: 1},
      {host: 'far', port: 65_535},
      {socket: '/run/x'},
    ]);
  });

  it('is nothing when it is anything else', ({expect}) => {
    const commands = ['text', {env: {A: 7}}, {env: {'A=B': 'x'}}, {env: {'': 'x'}}, {env: {A: 'a\0b'}}];
    for (const use of commands) expect(readCommandUse(use), JSON.stringify(use)).toBeUndefined();
    for (const use of [undefined, 'text', {}, {text: 7}]) expect(readFileUse(use)).toBeUndefined();
    const ports = [undefined, {}, {port: 0}, {port: 65_536}, {port: '80'}, {socket: 'relative'}, {host: 7, port: 1}];
    for (const use of ports) expect(readPortUse(use), JSON.stringify(use)).toBeUndefined();
  });
});
