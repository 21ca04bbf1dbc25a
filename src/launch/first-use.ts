import type {Trigger} from '../model/first-use.js';
import type {PlanEdit} from '../model/plan.js';
import type {SharedLaunch} from '../steps/messages.js';
import type {Question} from './asking.js';
import {openCommands} from './first-use-commands.js';
import {openFiles} from './first-use-files.js';
import {FirstUsePlace, firstUseProgram, type OpenedTriggers, type OpenTriggers} from './first-use-place.js';
import {openPorts} from './first-use-ports.js';
import {portText} from './port-text.js';
import type {EngineParts} from './prepare.js';

/** The questions of a launch: those for before its target starts, and those that are put off to their first use. */
export interface SplitQuestions {
  readonly now: readonly Question[];
  readonly later: readonly Question[];
}

/** Where no shim can be had, a step for a command is done before the target starts: late would be never. */
export const splitQuestions = (questions: readonly Question[]): SplitQuestions => {
  const isLater = ({info: {trigger}}: Question): boolean =>
    trigger !== undefined && !('command' in trigger && firstUseProgram() === undefined);
  return {now: questions.filter((question) => !isLater(question)), later: questions.filter(isLater)};
};

const kinds: readonly (readonly [kind: string, open: OpenTriggers])[] = [
  ['command', openCommands],
  ['file', openFiles],
  ['port', openPorts],
];

const nothing: OpenedTriggers = {
  steps: [],
  edits: [],
  end: async () => undefined,
  close: async () => undefined,
};

/** Puts the triggers of these steps where the target comes upon them. A launch that is refused has none. */
export const openFirstUses = async (
  parts: EngineParts,
  launch: SharedLaunch,
  questions: readonly Question[],
  planned: readonly PlanEdit[],
): Promise<OpenedTriggers> => {
  if (questions.length === 0 || planned.some(({kind}) => kind === 'refuse')) return nothing;
  const place = new FirstUsePlace(parts, launch);
  const opened = await Promise.all(
    kinds.map(async ([kind, open]) => {
      const own = questions.filter(({info: {trigger}}) => trigger !== undefined && kind in trigger);
      return own.length === 0 ? nothing : await open(own, {launch, clock: parts.clock, place});
    }),
  );
  return {
    steps: opened.flatMap(({steps}) => steps),
    edits: opened.flatMap(({edits}) => edits),
    end: async () => {
      await Promise.all(opened.map(async ({end}) => await end()));
    },
    close: async () => {
      await Promise.all(opened.map(async ({close}) => await close()));
      await place.close();
    },
  };
};

/** What a step is put off until, in words. */
export const triggerText = (trigger: Trigger): string => {
  if ('command' in trigger) return `${trigger.command} is run`;
  return 'file' in trigger ? `${trigger.file} is opened` : `${portText(trigger.port)} is connected to`;
};
