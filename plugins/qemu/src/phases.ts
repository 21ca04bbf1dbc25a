import type {Launch, Observation, PhaseMarks} from 'bootcut/plugin';

/** Parts of the boot, each from one of `bootcut-vm`'s milestones to another. */
const parts = [
  ['vmm', 'vm-started', 'kernel-entered'],
  ['kernel', 'kernel-entered', 'agent-ready'],
  ['guest set-up', 'agent-ready', 'command-started'],
  ['resume', 'vm-resumed', 'command-started'],
  ['restore', 'vm-restored', 'command-started'],
  ['join', 'vm-joined', 'command-started'],
  ['first output', 'command-started', 'first-output'],
] as const;

/** The boot begins with QEMU and ends when the command runs; what comes after the command is teardown. */
export const phases = (_launch: Launch, {milestones, startedAt}: Observation): PhaseMarks => {
  const at = (name: string): (typeof milestones)[number]['at'] | undefined =>
    milestones.find((milestone) => milestone.name === name)?.at;
  const runAt = at('command-started');
  const teardownAt = at('command-ended');
  return {
    bootAt: at('vm-started') ?? at('vm-restored') ?? at('vm-resumed') ?? at('vm-joined') ?? startedAt,
    ...(runAt === undefined ? {} : {runAt}),
    ...(teardownAt === undefined ? {} : {teardownAt}),
    milestones: [],
    spans: parts.flatMap(([name, begin, end]) => {
      const [from, to] = [at(begin), at(end)];
      return from === undefined || to === undefined ? [] : [{name, from, to}];
    }),
  };
};
