import {definePlugin, hours, lookup, type Milliseconds, minutes, ms, type PlanEdit, type Plugin} from 'bootcut/plugin';
import {describe, expectTypeOf, it} from 'vitest';

// Checked by `tsc --noEmit`; at run time these tests only have to run.

const step = lookup({
  name: 'colour',
  neededBy: 'run',
  freshFor: hours(1),
  keepFor: hours(2),
  key: () => ['a'],
  read: () => Promise.resolve({red: 1}),
  parse: (stored) => stored as {red: number},
  apply: (answer) => [{kind: 'set-env', name: 'RED', value: String(answer.red)}],
});

describe('the types of bootcut/plugin', () => {
  it('let an answer keep its type from `read` to `apply`', () => {
    expectTypeOf(step.parse).returns.toEqualTypeOf<{red: number}>();
    expectTypeOf(step.apply).exclude<undefined>().parameter(0).toEqualTypeOf<{red: number}>();
    expectTypeOf(step.apply).exclude<undefined>().returns.toEqualTypeOf<readonly PlanEdit[]>();
  });

  it('let a plugin keep the literal it was written as', () => {
    const plugin = definePlugin({name: 'colours', steps: [step]});
    expectTypeOf(plugin).toExtend<Plugin>();
    expectTypeOf(plugin.name).toEqualTypeOf<'colours'>();
  });

  it('take no bare number for a length of time', () => {
    expectTypeOf<number>().not.toExtend<Milliseconds>();
    expectTypeOf(minutes(1)).toEqualTypeOf<Milliseconds>();
    expectTypeOf(ms).parameter(0).toEqualTypeOf<number>();
    // @ts-expect-error: an hour or a millisecond?
    lookup({...step, freshFor: 3600});
  });

  it('take no step without a barrier, a key or a check of what was stored', () => {
    const {neededBy: _, ...noBarrier} = step;
    // @ts-expect-error: the phase that waits for it is part of every look-up
    lookup(noBarrier);
    const {key: __, ...noKey} = step;
    // @ts-expect-error: what the answer depends on is part of every look-up
    lookup(noKey);
    const {parse: ___, ...noParse} = step;
    // @ts-expect-error: stored values are checked again
    lookup(noParse);
  });
});
