import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import type {LaunchRecord} from '../../../src/model/record.js';
import {ms} from '../../../src/model/units.js';
import {RecordLog} from '../../../src/record/record-log.js';
import {accessibilityFaults, ask, show} from '../../rig/browser.js';
import {LaunchRig} from '../../rig/launch-rig.js';
import {makeRecord, makeStep, phases, spans, wallTime} from '../../unit/record/sample-record.js';

/** A name that would do harm in HTML, SVG, an attribute, a style or a terminal. */
const evil = `"><script>document.title='ran'</script><img src=x onerror="document.title='ran'">'</style></title>&amp;\u202e\u001b[31m`;

const launch = (index: number, changes: Partial<LaunchRecord> = {}): LaunchRecord => {
  const isCold = index % 4 === 0;
  const boot = isCold ? 900 + index : 12 + index / 50;
  return makeRecord({
    at: wallTime(1_796_056_809_764 + index * 60_000),
    verb: 'shell',
    runtime: 'agent-vm',
    runtimeVersion: index < 40 ? '0.1.13' : '0.1.14',
    target: 'agent-vm',
    temperature: isCold ? 'cold' : 'warm',
    total: ms(boot + 9000),
    phases: phases([
      ['client', 0, 3],
      ['pre-boot', 3, boot],
      ['boot', boot, boot + 700 + (index < 40 ? 0 : 300) + (index % 7)],
      ['run', boot + 700 + (index < 40 ? 0 : 300) + (index % 7), boot + 8900],
      ['teardown', boot + 8900, boot + 9000],
    ]),
    steps: [
      makeStep(`git-identity/github`, 5, isCold ? boot - 2 : 5.1, {
        state: isCold ? 'read' : 'fresh',
        cost: 890,
        spans: spans([['connect', 5, 5.05]]),
      }),
      makeStep('agent-vm/version', 5, isCold ? 300 : 5.1, {state: isCold ? 'read' : 'fresh', cost: 280}),
    ],
    spans: spans([['planning', 4, boot - 1]]),
    milestones: [{name: 'agent-ready', at: ms(boot + 690)}],
    waited: ms(isCold ? boot - 7 : 0.1),
    ...changes,
  });
};

let rig: LaunchRig;
let page: string;
let hostile: string;

beforeAll(async () => {
  rig = await LaunchRig.create();
  const log = new RecordLog(join(rig.state, 'records'));
  for (let index = 1; index <= 81; index += 1) log.append(launch(index));
  page = (await rig.run(['profile', '--format', 'html'])).stdout;
  log.append(
    launch(90, {
      target: evil,
      cwd: evil,
      build: evil,
      runtime: evil,
      runtimeVersion: evil,
      notes: [evil],
      steps: [makeStep(evil, 5, 9, {detail: evil, spans: spans([[evil, 6, 7]])})],
      spans: spans([[evil, 4, 8]]),
      milestones: [{name: evil, at: ms(20)}],
      outcome: {kind: 'not-started', code: 127, detail: evil},
    }),
  );
  hostile = (
    await rig.run(['profile', '--format', 'html', '--a', 'version=0.1.13', '--b', 'version=0.1.14,target=agent-vm'])
  ).stdout;
});
afterAll(async () => await rig[Symbol.asyncDispose]());

describe('the page of a launch, in Chromium', () => {
  it('has waterfall, steps, history and groups, with a table for every picture', async ({expect}) => {
    const seen = (await ask(
      page,
      `return {
        sections: [...document.querySelectorAll('section h2')].map((head) => head.textContent),
        pictures: document.querySelectorAll('figure svg[role=img][aria-label]').length,
        bars: document.querySelectorAll('table.waterfall rect.path').length,
        tables: document.querySelectorAll('table').length,
        focus: [...document.querySelectorAll('a[href], summary, [tabindex="0"]')].map((item) => item.getAttribute('aria-label') ?? item.textContent),
        changes: [...document.querySelectorAll('ul.changes strong')].map((item) => item.textContent),
        wide: document.documentElement.scrollWidth > innerWidth,
        dark: matchMedia('(prefers-color-scheme: dark)').matches,
        ground: getComputedStyle(document.body).backgroundColor,
      }`,
    )) as Readonly<Record<string, unknown>>;
    expect(seen['sections']).toEqual(['Waterfall', 'Steps: work and waiting', 'History', 'A against B']);
    expect(seen['pictures']).toBe(7);
    expect(seen['tables']).toBe(6);
    expect(seen['bars']).toBeGreaterThan(6);
    expect(seen['focus']).toEqual([
      'To the waterfall',
      'Waterfall',
      'Steps: work and waiting',
      'History',
      'A against B',
      'Waterfall: Until ready',
      'Waterfall: The whole launch',
      'The critical path as a table',
      'Critical path',
      'Steps',
      'The levels as a table',
      'Levels',
      'The distributions as a table',
      'Distributions',
    ]);
    expect(seen['changes']).toEqual(['ready +301 ms since agent-vm 0.1.14', 'boot +300 ms since agent-vm 0.1.14']);
    expect(seen['wide']).toBe(false);
    const dark = (await ask(
      page,
      `return {dark: matchMedia('(prefers-color-scheme: dark)').matches, ground: getComputedStyle(document.body).backgroundColor}`,
      {dark: true},
    )) as Readonly<Record<string, unknown>>;
    expect([seen['dark'], dark['dark']]).toEqual([false, true]);
    expect(dark['ground']).not.toBe(seen['ground']);
  });

  it.for([
    {name: 'light', dark: false, width: 1200},
    {name: 'dark', dark: true, width: 1200},
    {name: 'narrow', dark: false, width: 500},
  ])('breaks no rule of accessibility ($name)', async ({dark, width}, {expect}) => {
    const open = page.replaceAll('<details>', '<details open>');
    expect(await accessibilityFaults(open, {dark, width})).toEqual([]);
  });

  it('the check of accessibility finds what is wrong', async ({expect}) => {
    const bad = page.replaceAll('lang="en"', '').replace('--quiet:#5a616b', '--quiet:#e8e8e8');
    const rules = (await accessibilityFaults(bad)).map((fault) => fault.split(' ')[0]);
    expect(new Set(rules)).toEqual(new Set(['html-has-lang', 'color-contrast']));
  });

  it('shows hostile names as text, and runs none of them', async ({expect}) => {
    const seen = (await ask(
      hostile,
      `return {
        title: document.title,
        scripts: document.querySelectorAll('script').length,
        images: document.querySelectorAll('img').length,
        handlers: [...document.querySelectorAll('*')].filter((item) => [...item.attributes].some(({name}) => name.startsWith('on'))).length,
        heads: [...document.querySelectorAll('table.waterfall tbody th[scope=row]')].map((item) => item.textContent),
        head: document.querySelector('h1').textContent,
      }`,
    )) as Readonly<Record<string, unknown>>;
    // The one script is the question itself.
    expect(seen).toMatchObject({scripts: 1, images: 0, handlers: 0});
    const visible = evil.replace('\u202e', '\\u202e').replace('\u001b', '\\x1b');
    expect(seen['title']).toContain(visible);
    expect(seen['head']).toBe(`shell ${visible}`);
    expect((seen['heads'] as readonly string[]).filter((head) => head === visible).length).toBeGreaterThanOrEqual(4);
    expect(hostile).not.toMatch(/[\u202e\u001b]/);
  });

  describe('its policy', () => {
    let server: Server;
    let requests = 0;
    beforeAll(async () => {
      server = createServer((_, response) => {
        requests += 1;
        response.end('x');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => server.close());

    it('lets nothing run and nothing load, even from markup that should have got through', async ({expect}) => {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const intruder = `<script>document.title='ran'</script><script src="${address}/a.js"></script><img src="${address}/b.png" onerror="document.title='ran'"><link rel="stylesheet" href="${address}/c.css"><iframe src="${address}/d"></iframe><p id="styled" style="color:red">x</p>`;
      const {dom} = await show(page.replace('</body>', `${intruder}</body>`));
      expect(/<title>(.*?)<\/title>/.exec(dom)?.[1]).toMatch(/^shell agent-vm: /);
      expect(requests).toBe(0);
      // The same without the policy, so that the silence above means something.
      const open = page
        .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '')
        .replace('</body>', `${intruder}</body>`);
      expect((await show(open)).dom).toContain('<title>ran</title>');
      expect(requests).toBeGreaterThan(0);
    });

    it('names the page’s own style, which is used', async ({expect}) => {
      const {log} = await show(page);
      expect(log).not.toMatch(/Content Security Policy/i);
      expect(page).not.toMatch(/https?:\/\//);
    });
  });
});

describe('the drawing of a launch', () => {
  it('is well-formed with hostile names in it, and has them as text', async ({expect}) => {
    const {stdout} = await rig.run(['profile', '--format', 'svg']);
    const seen = (await ask(
      '<!doctype html><html lang="en"><body></body></html>',
      `const drawing = new DOMParser().parseFromString(${JSON.stringify(stdout).replaceAll('<', '\\u003c')}, 'image/svg+xml');
      return {
        errors: drawing.querySelectorAll('parsererror').length,
        scripts: drawing.querySelectorAll('script, image, foreignObject').length,
        title: drawing.querySelector('title').textContent,
        bars: drawing.querySelectorAll('rect.bar').length,
      }`,
    )) as Readonly<Record<string, unknown>>;
    expect(seen).toMatchObject({errors: 0, scripts: 0});
    expect(seen['title']).toContain("<script>document.title='ran'</script>");
    expect(seen['bars']).toBeGreaterThan(5);
  });
});
