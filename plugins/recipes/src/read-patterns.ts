import {isRecord} from './is-record.js';
import type {Boundary, Pattern} from './recipe.js';

/** A launcher says a handful of things on its way. */
const mostPatterns = 32;

/** Of `line` and `has`, in bytes: of an observed line 512 bytes are kept. */
const longestPattern = 200;

const boundaries: readonly unknown[] = ['boot', 'run', 'teardown'];

/** The milestones of a recipe. They are plain texts: an expression could take for ever on a line that is made for it. */
export const readPatterns = (value: unknown, complain: (text: string) => void): readonly Pattern[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > mostPatterns) {
    complain(
      `must be a list of at most ${mostPatterns} like {"line": "Starting", "name": "starting", "phase": "boot"}`,
    );
    return [];
  }
  const patterns = value.flatMap((item: unknown, index): readonly Pattern[] => {
    const read = readPattern(item);
    if (typeof read !== 'string') return [read];
    complain(`[${index}] ${read}`);
    return [];
  });
  const fault = orderFault(patterns);
  if (fault !== undefined) complain(fault);
  return patterns;
};

const readPattern = (value: unknown): Pattern | string => {
  if (!isRecord(value)) return 'must be an object with line and name';
  const {line = '', has = '', name, phase, ...others} = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `has no field ${other}; there are: line, has, name, phase`;
  if (!isShortText(line) || !isShortText(has))
    return `line and has must be texts of at most ${longestPattern} bytes, without a line break`;
  if (line === '' && has === '') return 'needs a line: how the launcher’s line begins, as plain text';
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name))
    return 'needs a name: 1 to 40 letters, digits, dots and dashes';
  if (phase !== undefined && !boundaries.includes(phase)) return 'has a phase that is none of boot, run, teardown';
  return {name, line, has, ...(phase === undefined ? {} : {phase: phase as Boundary})};
};

const isShortText = (value: unknown): value is string =>
  // biome-ignore lint: the zero byte is the point
  typeof value === 'string' && Buffer.byteLength(value) <= longestPattern && !/[\u0000\n\r\p{Surrogate}]/u.test(value);

/** They are looked for one behind the other, so their order is the launch's. */
const orderFault = (patterns: readonly Pattern[]): string | undefined => {
  const phases = patterns.flatMap(({phase}) => phase ?? []);
  const places = phases.map((phase) => boundaries.indexOf(phase));
  if (places.some((place, index) => index > 0 && place <= (places[index - 1] ?? -1)))
    return 'must stand in the order of a launch, with each of boot, run and teardown once at most';
  if (phases.includes('boot') && !phases.includes('run')) return 'say where boot begins and not where run does';
  if (phases.includes('teardown') && !phases.includes('run')) return 'say where teardown begins and not where run does';
  const names = patterns.map(({name}) => name);
  return new Set(names).size === names.length ? undefined : 'use a name twice';
};
