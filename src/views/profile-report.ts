import {createHash} from 'node:crypto';
import type {BlamedStep} from '../profile/blame.js';
import type {LaunchProfile} from '../profile/launch-profile.js';
import type {Report} from '../profile/report.js';
import type {StepRoom} from '../profile/what-if.js';
import {duration} from './duration.js';
import {markup} from './markup.js';
import {endpointWords, localTime, outcomeWords, targetWords, viaWords} from './profile-words.js';
import {reportDistribution} from './report-distribution.js';
import {reportHistory} from './report-history.js';
import {chartColours, pageStyle} from './report-style.js';
import {reportWaterfall} from './report-waterfall.js';

/**
 * `profile --format html`: one file with everything in it. It has no script, and its policy lets a browser load nothing
 * and use no style but this very one, so that a name that got through as markup could do nothing either.
 */
export const profileReport = (report: Report): string => {
  const {launch} = report;
  const title = markup(`${targetWords(launch)}: ${duration(launch.totalMs)}, ${endpointWords(launch)}`);
  const style = chartColours + pageStyle;
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<title>${title} – bootcut profile</title><style>${style}</style></head><body>
<a class="skip" href="#waterfall">To the waterfall</a>
<header><h1>${markup(targetWords(launch))}</h1>
<p class="quiet">${aboutWords(launch)}</p>${tiles(launch)}</header>
<nav aria-label="On this page"><ul>${sections.map(({id, head}) => `<li><a href="#${id}">${head}</a></li>`).join('')}</ul></nav>
<main>
${sections.map(({id, head, body}) => `<section id="${id}" aria-labelledby="${id}-head" tabindex="-1"><h2 id="${id}-head">${head}</h2>\n${body(report)}</section>`).join('\n')}
</main>
<footer><p>Recorded by bootcut ${markup(launch.build)}. All times are from the exec of bootcut by a clock that never jumps; ${markup(endpointWords(launch))}. This file loads nothing.</p></footer>
</body></html>
`;
};

interface Section {
  readonly id: string;
  readonly head: string;
  readonly body: (report: Report) => string;
}

const sections: readonly Section[] = [
  {id: 'waterfall', head: 'Waterfall', body: ({launch}) => reportWaterfall(launch) + notes(launch)},
  {id: 'steps', head: 'Steps: work and waiting', body: (report) => stepTable(report)},
  {id: 'history', head: 'History', body: reportHistory},
  {id: 'groups', head: 'A against B', body: ({groups}) => reportDistribution(groups)},
];

const aboutWords = (launch: LaunchProfile): string =>
  [
    `launch ${launch.id}`,
    localTime(launch.at),
    markup(`runtime ${launch.runtime} ${launch.runtimeVersion ?? ''}`.trim()),
    markup(`via ${viaWords(launch)}`),
    markup(outcomeWords(launch.outcome)),
    markup(`in ${launch.cwd}`),
  ].join(' · ');

const tiles = (launch: LaunchProfile): string => {
  const unattributed = launch.phases.find(({name}) => name === 'unattributed')?.share ?? 0;
  const spared = launch.steps.reduce((sum, {sparedMs}) => sum + sparedMs, 0);
  const items: readonly (readonly [string, string, string])[] = [
    ['Ready after', launch.readyMs === null ? '–' : duration(launch.readyMs), `${launch.temperature}, exec to run`],
    ['Pre-boot', duration(launch.preBootMs), 'exec until boot begins'],
    ['Held for answers', duration(launch.waitedMs), `of ${duration(launch.lookupsMs)} of look-ups`],
    ['Spared by the cache', duration(spared), 'steps overlap: not all of it is saved'],
    ['Total', duration(launch.totalMs), endpointWords(launch)],
    ['Attributed', `${(100 * (1 - unattributed)).toFixed(2)} %`, 'of the total, by phases'],
  ];
  return `<dl class="tiles">${items.map(([name, value, more]) => `<div><dt>${name}</dt><dd>${markup(value)}<small>${markup(more)}</small></dd></div>`).join('')}</dl>`;
};

const notes = ({notes: items}: LaunchProfile): string =>
  items.length === 0 ? '' : `<h3>Notes</h3><ul>${items.map((note) => `<li>${markup(note)}</li>`).join('')}</ul>`;

const stepTable = ({blame, room}: Report): string => {
  if (blame.steps.length === 0) return '<p>No step took part.</p>';
  return `<p>Held: while the launch waited for the step, alone or with others. If free: by how much earlier the launch would have been ready without the step. Room: by how much it may grow with nobody noticing.</p>
<div class="scroll" role="region" tabindex="0" aria-label="Steps"><table><thead><tr><th scope="col">step</th>${['ran', 'own work', 'waiting', 'held', 'held alone', 'beside', 'if free', 'room'].map((name) => `<th class="figure" scope="col">${name}</th>`).join('')}</tr></thead><tbody>
${blame.steps.map((step) => stepRow(step, room)).join('\n')}
</tbody></table></div>`;
};

const stepRow = (blamed: BlamedStep, room: readonly StepRoom[]): string => {
  const own = room.find(({step}) => step === blamed.step);
  const cells = [
    duration(blamed.ranMs),
    blamed.ownMs === null ? 'not timed' : duration(blamed.ownMs),
    blamed.waitingMs === null ? '' : duration(blamed.waitingMs),
    duration(blamed.heldMs),
    duration(blamed.aloneMs),
    duration(blamed.besideMs),
    own === undefined || own.ifFreeMs === 0 ? 'nothing' : `${duration(own.ifFreeMs)} earlier`,
    own === undefined ? 'any' : duration(own.slackMs),
  ];
  return `<tr><th scope="row">${markup(blamed.step)}</th>${cells.map((cell) => `<td class="figure">${cell}</td>`).join('')}</tr>`;
};
