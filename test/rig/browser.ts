import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {run} from './program.js';

/** A document as a browser has it after its scripts have run, and what the browser said. */
export interface Shown {
  readonly dom: string;
  readonly log: string;
}

export interface ShowOptions {
  readonly dark?: boolean;
  /** In CSS pixels. */
  readonly width?: number;
}

/** Opens a document in headless Chromium until nothing more happens in it. */
export const show = async (html: string, options: ShowOptions = {}): Promise<Shown> => {
  const directory = await mkdtemp(join(tmpdir(), 'bootcut-browser-'));
  try {
    const page = join(directory, 'page.html');
    await writeFile(page, html);
    const {status, stdout, stderr} = await run(
      [
        'chromium',
        '--headless',
        '--no-sandbox', // tests may run as root, where Chromium's own sandbox refuses
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--enable-logging=stderr',
        '--virtual-time-budget=30000',
        `--window-size=${options.width ?? 1200},900`,
        `--blink-settings=preferredColorScheme=${options.dark === true ? 0 : 1}`,
        `--user-data-dir=${join(directory, 'profile')}`,
        '--dump-dom',
        pathToFileURL(page).href,
      ],
      {env: {PATH: process.env['PATH'] ?? '', HOME: directory}, cwd: directory},
    );
    if (status !== 0) throw new Error(`chromium ended with ${status}: ${stderr}`);
    return {dom: stdout, log: stderr};
  } finally {
    await rm(directory, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
  }
};

/** What a script says of a document: its value as JSON. Without the document's policy, which forbids every script. */
export const ask = async (html: string, script: string, options: ShowOptions = {}): Promise<unknown> => {
  const asking = `<script>(async () => {
    const said = await (async () => {${script}})().catch((error) => ({error: String(error)}));
    const place = document.createElement('pre');
    place.id = 'said';
    place.textContent = encodeURIComponent(JSON.stringify(said));
    document.body.append(place);
  })();</script>`;
  const open = html
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '')
    .replace('</body>', `${asking}</body>`);
  const {dom, log} = await show(open, options);
  const said = /<pre id="said">([^<]*)<\/pre>/.exec(dom)?.[1];
  if (said === undefined) throw new Error(`the document said nothing: ${log}`);
  return JSON.parse(decodeURIComponent(said));
};

/** Rules of WCAG 2.1 A and AA, and good practice, that a document breaks, by axe; one line for each place. */
export const accessibilityFaults = async (html: string, options: ShowOptions = {}): Promise<readonly string[]> => {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const found = await ask(
    html,
    // A closing tag inside of the script would end it.
    `${axe.replaceAll('</script', '<\\/script')};
    const {violations} = await window.axe.run(document);
    return violations.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) => id + ' ' + target.join(' ') + ': ' + failureSummary));`,
    options,
  );
  return found as readonly string[];
};
