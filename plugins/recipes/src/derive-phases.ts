import type {Launch, Milestone, Moment, Observation, ObservedLine, PhaseMarks} from 'bootcut/plugin';
import {launchRecipe} from './launch-recipe.js';
import type {Pattern} from './recipe.js';

const nothing: PhaseMarks = {milestones: [], spans: []};

/** Places the phases by the launcher's lines. Nothing is claimed where none of them was seen. */
export const derivePhases = (launch: Launch, {lines, endedAt}: Observation): PhaseMarks => {
  const read = launchRecipe(launch);
  const patterns = read.ok ? read.recipe.milestones : [];
  const seen = findPatterns(patterns, lines);
  if (seen.length === 0) return nothing;
  const at = (phase: Pattern['phase']): Moment | undefined => seen.find(({pattern}) => pattern.phase === phase)?.at;
  const [boot, run, teardown] = [at('boot'), at('run'), at('teardown')];
  const has = (phase: Pattern['phase']): boolean => patterns.some((pattern) => pattern.phase === phase);
  // What was not reached did not take any time: it lies at the end, or failing to boot would look like running.
  const bootAt = boot ?? (has('boot') && run === undefined ? endedAt : undefined);
  const runAt = run ?? (has('run') ? endedAt : undefined);
  return {
    ...(bootAt === undefined ? {} : {bootAt}),
    ...(runAt === undefined ? {} : {runAt}),
    ...(teardown === undefined ? {} : {teardownAt: teardown}),
    milestones: seen.map(({pattern, at: moment}): Milestone => ({name: pattern.name, at: moment})),
    spans: [],
  };
};

interface Seen {
  readonly pattern: Pattern;
  readonly at: Moment;
}

/**
 * Each pattern is looked for behind the one found before it. Once the command runs, it writes to the same stream: the
 * launcher's last words are then the last line that fits.
 */
const findPatterns = (patterns: readonly Pattern[], lines: readonly ObservedLine[]): readonly Seen[] => {
  const seen: Seen[] = [];
  let from = 0;
  for (const pattern of patterns) {
    const rest = lines.slice(from);
    const fits = ({text}: ObservedLine): boolean =>
      text.startsWith(pattern.line) && text.indexOf(pattern.has, pattern.line.length) >= 0;
    const index = pattern.phase === 'teardown' ? rest.findLastIndex(fits) : rest.findIndex(fits);
    const line = rest[index];
    if (line === undefined) continue;
    seen.push({pattern, at: line.at});
    from += index + 1;
  }
  return seen;
};
