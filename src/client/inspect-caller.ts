import type {Directories} from '../config/directories.js';
import {inspectLaunch, questionsOf} from '../launch/inspect-launch.js';
import {refreshAnswers} from '../launch/refresh-answers.js';
import {done, type Failure, failed, type Result} from '../model/failure.js';
import type {InspectedLaunch, Refreshed} from '../model/inspection.js';
import {stepName} from '../steps/messages.js';
import {callerLaunch} from './caller-launch.js';
import {isOf} from './stored-answers.js';
import {withEngine} from './with-engine.js';

/** What `bootcut ...tokens` would do from here and now. Asks nothing, starts nothing. */
export const inspectCallersLaunch = async (
  directories: Directories,
  tokens: readonly string[],
): Promise<Result<InspectedLaunch>> =>
  await withEngine(directories, async ({engine}) => {
    const plugins = await engine.parts.plugins.all();
    const verbs = plugins.flatMap(({info}) => info.runtimes.flatMap((runtime) => runtime.verbs));
    const [verb = ''] = tokens;
    if (!verbs.includes(verb)) return failed({reason: 'unknown-verb', verb, known: verbs});
    const launch = await questionsOf(engine.parts, callerLaunch(tokens));
    if (launch.kind !== 'begun') return failed(notALaunch(launch));
    return done(await inspectLaunch(engine.parts, launch));
  });

const notALaunch = (launch: {readonly kind: string; readonly text?: string}): Failure => ({
  reason: 'bad-argument',
  detail: launch.text?.split('\n')[0]?.replace(/^bootcut \S*: /, '') ?? 'this command line is no launch',
});

/**
 * Asks again for what launches from here would need: for each runtime that of its first verb; with a name, only that step or
 * plugin, whether or not a runtime uses it.
 */
export const refreshCallersAnswers = async (
  directories: Directories,
  wanted: string | undefined,
): Promise<Result<readonly Refreshed[]>> =>
  await withEngine(directories, async ({engine}) => {
    const plugins = await engine.parts.plugins.all();
    const known = plugins.flatMap(({info}) =>
      info.steps.filter(({kind}) => kind === 'lookup' || kind === 'check').map((step) => `${step.plugin}/${step.name}`),
    );
    if (wanted !== undefined && !known.some((step) => isOf(wanted, step) || isOf(step, wanted)))
      return failed({reason: 'unknown-step', step: wanted, known});
    const verbs = plugins.flatMap(({info}) => info.runtimes.flatMap(({verbs: [first]}) => first ?? []));
    const launches = await Promise.all(
      verbs.map((verb) => {
        const own = wanted === undefined ? [] : ['--with', wanted.replace(/\[.*$/s, '')];
        return questionsOf(engine.parts, callerLaunch([verb, ...own, 'true']));
      }),
    );
    const questions = launches
      .flatMap((launch) => (launch.kind === 'begun' ? launch.questions : []))
      .filter(({key, ref}) => key !== '' && (wanted === undefined || isOf(wanted, stepName(ref))));
    const distinct = [...new Map(questions.map((question) => [question.key, question])).values()];
    return done(await refreshAnswers(engine.parts, distinct));
  });
