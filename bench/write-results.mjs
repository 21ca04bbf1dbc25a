/* Writes RESULTS.md from the reports in results/: `npm run bench`, then `node bench/write-results.mjs`. */
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const order = [
  'launcher',
  'launcher-fronts',
  'launcher-agent-vm',
  'vm',
  'vm-cold-warm',
  'vm-first-commands',
  'vm-endurance',
  'warm-pre-boot',
  'cold-warm',
  'at-once',
  'archives',
  'daemon',
  'commands',
  'replay',
];

const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);

const rank = (samples, at) => [...samples].sort((a, b) => a - b)[Math.max(0, Math.ceil(at * samples.length) - 1)];
const median = (samples) => (rank(samples, 0.5) + rank(samples, 0.5 + 0.5 / samples.length)) / 2;
const figure = (value) => value.toFixed(value < 100 ? 2 : 0);

const armRow = ([name, samples]) =>
  `| ${name} | ${figure(median(samples))} | ${figure(rank(samples, 0.99))} | ${figure(Math.min(...samples))} | ${samples.length} |`;

const figureRow = ({what, value, goal, met}) =>
  `| ${what} | ${value} | ${goal ?? ''} | ${goal === undefined ? '' : met ? 'met' : '**not met**'} |`;

const section = ({title, name, endpoint, machine, load, commit, at, seed, samples, figures}) => `## ${title}

\`npm run bench ${name}\`. Endpoint: ${endpoint}.
${machine}; load average ${load ?? 'not kept'}; commit ${commit}; ${at.slice(0, 16)} UTC; seed ${seed}.

| | median ms | p99 ms | least ms | samples |
| --- | ---: | ---: | ---: | ---: |
${Object.entries(samples).map(armRow).join('\n')}

| figure | value | goal | |
| --- | ---: | ---: | --- |
${figures.map(figureRow).join('\n')}
`;

const reports = readdirSync(`${here}results`)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(`${here}results/${name}`, 'utf8')))
  .sort((a, b) => place(a.name) - place(b.name));

writeFileSync(
  `${here}RESULTS.md`,
  `# Figures of real runs

Written by \`bench/write-results.mjs\`. Each bench compares ways of doing one thing, alternating in an order shuffled by the
seed, in one run on one machine; a ratio holds across machines better than a time does. The raw samples are in
\`bench/results/\` after a run. The load average tells how far to trust a time: 2 processors are fully busy at 2.

${reports.map(section).join('\n')}`,
);
