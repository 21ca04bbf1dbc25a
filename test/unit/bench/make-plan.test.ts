import {describe, expect, it} from 'vitest';
import {makePlan} from '../../../src/bench/make-plan.js';
import {argumentsOf} from '../../../src/bench/run-target.js';
import type {WrittenVariant} from '../../../src/bench/written-plan.js';

const plan = (variants: readonly WrittenVariant[], isRoot = false) => makePlan({variants}, '/', isRoot);
const variantsOf = (...variants: readonly WrittenVariant[]) => {
  const made = plan(variants, true);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  return made.value.variants;
};
const refusal = (...variants: readonly WrittenVariant[]): string => {
  const made = plan(variants);
  return made.ok || !('detail' in made.failure) ? 'it was taken' : made.failure.detail;
};

describe('temperatures', () => {
  it('page-cold is refused in one clear line to whoever is not root', () => {
    expect(refusal({command: ['true'], temperature: ['page-cold']})).toBe(
      'The page cache can be dropped by root only: page-cold needs root.',
    );
    expect(plan([{command: ['true'], temperature: ['page-cold']}], true).ok).toBe(true);
  });

  it('are brought about in an order in which none undoes another', () => {
    const temperature = ['page-cold', 'standby-warm', 'cache-cold'];
    const [variant] = variantsOf({command: ['true'], runtime: 'qemu', temperature});
    expect(variant?.temperature).toEqual(['cache-cold', 'standby-warm', 'page-cold']);
  });

  it('of the first variant are those of the others, unless they say warm', () => {
    const first = {name: 'A', command: ['true'], temperature: ['cache-cold']};
    const all = variantsOf(first, {name: 'B'}, {name: 'C', temperature: ['warm']});
    expect(all.map(({temperature}) => temperature)).toEqual([['cache-cold'], ['cache-cold'], []]);
  });

  it('that make no sense are refused', () => {
    expect(refusal({command: ['true'], temperature: ['luke-warm']})).toContain("no temperature 'luke-warm'");
    expect(refusal({command: ['true'], temperature: ['warm', 'cache-cold']})).toContain('warm and something else');
    expect(refusal({command: ['true'], temperature: ['standby-warm']})).toContain('not launched through bootcut');
    expect(refusal({command: ['true'], verb: 'shell', temperature: ['standby-warm', 'daemon-cold']})).toContain(
      'it is the daemon that keeps standbys',
    );
  });
});

describe('a variant that is launched through bootcut', () => {
  it('hands memory to its runtime with a verb that takes it', () => {
    const [one, other] = variantsOf(
      {name: 'A', command: ['true'], runtime: 'qemu', memory: '256M'},
      {name: 'B', memory: '1G'},
    );
    expect(argumentsOf(one!).slice(1)).toEqual(['shell', '--runtime', 'qemu', '--memory', '256M', 'true']);
    expect(argumentsOf(other!).slice(1)).toEqual(['shell', '--runtime', 'qemu', '--memory', '1G', 'true']);
    expect(refusal({command: ['true'], verb: 'run', memory: '1G'})).toContain("'run' hands no memory to a runtime");
  });
});
