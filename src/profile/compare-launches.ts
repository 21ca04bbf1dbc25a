import {toMicro} from '../model/units.js';
import type {LaunchProfile} from './launch-profile.js';
import {type Shift, type Spread, shiftOf, spreadOf} from './statistics.js';

/** `profile diff --json`: two launches, or two sets of them, side by side. */
export interface Comparison {
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** The longest time shown in milliseconds: one scale for both sides and all rows. */
  readonly scaleMs: number;
  readonly rows: readonly ComparedRow[];
  /** What makes the comparison weaker than it looks. */
  readonly cautions: readonly string[];
}

export interface ComparedSide {
  /** What the side was asked for by. */
  readonly name: string;
  readonly launches: readonly string[];
  readonly temperatures: readonly LaunchProfile['temperature'][];
  /** Launches of it that never started or were lost, and are in no figure. */
  readonly leftOut: number;
}

export interface ComparedRow {
  readonly kind: 'phase' | 'step' | 'milestone' | 'moment';
  /** Name of the phase, step or milestone; `ready` and `total` are moments. Moments and milestones count from the exec. */
  readonly name: string;
  readonly a: Spread | null;
  readonly b: Spread | null;
  /** B's median less A's; null when one side has none. */
  readonly differenceMs: number | null;
  /** Null for two single launches and where a side has nothing. */
  readonly shift: Shift | null;
}

export interface NamedLaunches {
  readonly name: string;
  readonly launches: readonly LaunchProfile[];
}

/** Compares per milestone, phase and step. Steps overlap: their rows must not be added. */
export const compareLaunches = (left: NamedLaunches, right: NamedLaunches): Comparison => {
  const a = left.launches.filter(hasTimes);
  const b = right.launches.filter(hasTimes);
  const rows = [
    ...momentNames.map((name) => row('moment', name, a, b, (launch) => momentOf(launch, name))),
    ...milestoneNames(a, b).map((name) =>
      row('milestone', name, a, b, ({milestones}) => milestones.find((milestone) => milestone.name === name)?.atMs),
    ),
    ...phaseNames(a, b).map((name) =>
      row('phase', name, a, b, ({phases}) => phases.find((phase) => phase.name === name)?.durationMs),
    ),
    ...stepNames(a, b).map((name) =>
      row('step', name, a, b, ({steps}) => steps.find(({step}) => step === name)?.durationMs),
    ),
  ];
  const sides = [side(left, a), side(right, b)] as const;
  return {
    a: sides[0],
    b: sides[1],
    scaleMs: Math.max(0, ...rows.flatMap((item) => [item.a?.medianMs ?? 0, item.b?.medianMs ?? 0])),
    rows,
    cautions: cautionsOf(sides, [a, b]),
  };
};

const hasTimes = ({outcome}: LaunchProfile): boolean => outcome.kind === 'exited' || outcome.kind === 'killed';

const momentNames = ['ready', 'total'] as const;

const momentOf = (launch: LaunchProfile, name: (typeof momentNames)[number]): number | undefined =>
  name === 'total' ? launch.totalMs : (launch.readyMs ?? undefined);

const phaseNames = (...sides: readonly (readonly LaunchProfile[])[]): readonly string[] =>
  unique(sides.flat().flatMap(({phases}) => phases.map(({name}) => name))).sort(
    // Every launch has this row at its end, whatever phases the others have.
    (a, b) => Number(a === 'unattributed') - Number(b === 'unattributed'),
  );

const milestoneNames = (...sides: readonly (readonly LaunchProfile[])[]): readonly string[] =>
  unique(sides.flat().flatMap(({milestones}) => milestones.map(({name}) => name)));

const stepNames = (...sides: readonly (readonly LaunchProfile[])[]): readonly string[] =>
  unique(sides.flat().flatMap(({steps}) => steps.map(({step}) => step)));

const unique = (names: readonly string[]): string[] => [...new Set(names)];

const row = (
  kind: ComparedRow['kind'],
  name: string,
  a: readonly LaunchProfile[],
  b: readonly LaunchProfile[],
  timeOf: (launch: LaunchProfile) => number | undefined,
): ComparedRow => {
  const [left, right] = [a, b].map((launches) => launches.map(timeOf).filter((time) => time !== undefined));
  const spreads = [spreadOf(left ?? []) ?? null, spreadOf(right ?? []) ?? null] as const;
  const both = spreads[0] !== null && spreads[1] !== null;
  return {
    kind,
    name,
    a: spreads[0],
    b: spreads[1],
    differenceMs: both ? toMicro(spreads[1].medianMs - spreads[0].medianMs) : null,
    shift: both && a.length + b.length > 2 ? (shiftOf(left ?? [], right ?? []) ?? null) : null,
  };
};

const side = ({name, launches}: NamedLaunches, counted: readonly LaunchProfile[]): ComparedSide => ({
  name,
  launches: counted.map(({id}) => id),
  temperatures: [...new Set(counted.map(({temperature}) => temperature))].sort(),
  leftOut: launches.length - counted.length,
});

const cautionsOf = (
  [a, b]: readonly [ComparedSide, ComparedSide],
  launches: readonly [readonly LaunchProfile[], readonly LaunchProfile[]],
): readonly string[] => {
  const targets = new Set(launches.flat().map(({verb, target}) => `${verb} ${target}`));
  return [
    ...(a.temperatures.join() === b.temperatures.join() && a.temperatures.length === 1
      ? []
      : [`warm or cold: A is ${a.temperatures.join(' and ')}, B is ${b.temperatures.join(' and ')}`]),
    ...(targets.size > 1 ? ['the launches are not all of one target'] : []),
    ...(a.launches.some((id) => b.launches.includes(id)) ? ['some launches are on both sides'] : []),
    'these launches were not made in turns: what else changed meanwhile is in the difference; a bench settles it',
  ];
};
