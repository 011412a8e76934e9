import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderSizeText } from '../../src/report/size-text.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { accessProblems } from '../support/accessibility.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { type HeadroomServer, startServer } from '../support/headroom-server.ts';
import { startPageBrowser } from '../support/page-browser.ts';
import { writePageRecording } from '../support/page-recording.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

const hostile =
  '<img src=x onerror="document.title=1">"\'</script><script>document.title=2</script>';
// On a machine that is busy with other tests everything takes a minute.
const patience = 150_000;
const pictures = fileURLToPath(new URL('../../docs/images', import.meta.url));

const folder = temporaryFolder();
const outside = temporaryFolder();
const recordings = folder.file('recordings');

let server: HeadroomServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];

beforeAll(async () => {
  mkdirSync(recordings);
  const file = (name: string) => path.join(recordings, name);
  writePageRecording(file('checkout.db'), { tickCount: 900, labels: { suite: 'checkout' } });
  writePageRecording(file('search.db'), {
    tickCount: 600,
    labels: { suite: 'search' },
    seed: 2,
    isShared: true,
  });
  writePageRecording(file('hostile.db'), {
    tickCount: 60,
    labels: { [hostile]: hostile },
    processName: hostile,
  });
  writePageRecording(outside.file('secret.db'), { tickCount: 10, labels: {} });
  symlinkSync(outside.file('secret.db'), file('link.db'));
  writeFileSync(file('broken.db'), 'not a database at all, but long enough to be looked at');
  server = await startServer(recordings);
  browser = await startPageBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder[Symbol.dispose]();
  outside[Symbol.dispose]();
});

beforeEach(async () => {
  context = await browser.newContext({
    viewport: { width: 1200, height: 860 },
    timezoneId: 'America/New_York',
    colorScheme: 'light',
  });
  context.setDefaultTimeout(patience);
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
});

// A script that was refused, a string that was run, an exception: all are told here.
afterEach(async () => {
  expect(problems).toEqual([]);
  await context.close();
});

describe('the list', () => {
  test('has every recording of the folder, with verdict, peak and a line; filtered by label and text', async () => {
    await open('');
    for (const name of ['checkout.db', 'search.db', 'hostile.db']) {
      await row(name).locator('.sparkline').waitFor();
    }
    await row('broken.db').locator('.problem').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(4);
    expect(await row('checkout.db').textContent()).toContain('killed by the kernel');
    const report = await reportOf('checkout.db');
    expect(await row('checkout.db').locator('data').first().getAttribute('value')).toBe(
      String(report.memory.workingSetBytes.max),
    );
    await page.fill('#search', 'killed');
    expect(await visibleNames()).toHaveLength(3);
    expect(await accessProblems(page)).toEqual([]);
    await takePicture('page-list');
    await page.fill('#search', 'suite=search');
    expect(await visibleNames()).toEqual(['search.db']);
    await page.fill('#search', 'killed checkout');
    expect(await visibleNames()).toEqual(['checkout.db']);
    await page.fill('#search', '');
    expect(await visibleNames()).toHaveLength(4);
  });
});

test('an address that names nothing shows the list, and says so', async () => {
  await open('#/recording/%');
  await row('checkout.db').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('names no recording');
});

test('which tier those need that are ticked is the answer of headroom size', async () => {
  await open('');
  const names = ['checkout.db', 'search.db'];
  for (const name of names) await row(name).locator('.sparkline').waitFor();
  await page.fill('#search', 'suite=');
  await page.getByRole('button', { name: 'Tick all shown' }).click();
  await page.getByRole('button', { name: 'Which tier for 2?' }).click();
  const answer = page.locator('.sizing pre');
  await answer.waitFor();
  const files = names.map((name) => path.join(recordings, name));
  const report = JSON.parse((await runCli('size', ...files, '--json')).stdout);
  expect(await answer.textContent()).toBe(renderSizeText(report));
  expect(await accessProblems(page)).toEqual([]);
  const query = names.map((name) => `recording=${name}`).join('&');
  expect(await (await fetch(`${server.url}/api/size?${query}`)).json()).toEqual(report);
});

describe('whoever looks', () => {
  test('in the dark or in the light has the ground for it', async () => {
    await open('#/recording/checkout.db');
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe('rgb(20, 24, 29)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
  });

  test('or listens finds everything by its name', async () => {
    await open('#/recording/checkout.db');
    await page.locator('.processes code').first().waitFor();
    const tree = await page.locator('body').ariaSnapshot();
    for (const line of [
      'heading "checkout.db" [level=1]',
      'toolbar "Window of time"',
      'button "earlier"',
      'button "later"',
      'button "closer"',
      'button "farther"',
      'checkbox "scale to the limit"',
      'heading "Pages" [level=2]',
      'rowheader "https://shop.test"',
    ]) {
      expect(tree).toContain(line);
    }
    // Nothing that can be used is without a name.
    expect(tree).not.toMatch(/- (button|checkbox|link|combobox|textbox|figure)\s*(:|\[|$)/m);
    await open('');
    await row('checkout.db').locator('.sparkline').waitFor();
    const list = await page.locator('main').ariaSnapshot();
    expect(list).toContain('checkbox "choose checkout.db"');
    expect(list).toMatch(/img "working set over time, at most \d+ % of the limit"/);
  });
});

describe('by keyboard alone', () => {
  test('from the filter to a recording, through it, and back', async () => {
    await open('');
    await row('search.db').locator('.sparkline').waitFor();
    await tabTo('#search');
    await page.keyboard.type('suite=search');
    expect(await visibleNames()).toEqual(['search.db']);
    await tabTo('tr[data-name="search.db"] a');
    await page.keyboard.press('Enter');
    const figure = page.locator('figure').first();
    await figure.locator('.u-over').waitFor();
    expect(await focused()).toBe('search.db');
    const start = async () => Number(await figure.getAttribute('data-from'));
    const from = await start();
    await tabTo('figure');
    await page.keyboard.press('+');
    await expect.poll(start, { timeout: patience }).toBeGreaterThan(from);
    await page.keyboard.press('ArrowLeft');
    const [moved, end] = [await start(), Number(await figure.getAttribute('data-to'))];
    await page.keyboard.press('Enter');
    const answer = page.locator('.window table');
    await answer.waitFor();
    expect(await answer.getAttribute('data-from')).toBe(String(moved));
    expect(await answer.getAttribute('data-to')).toBe(String(end));
    await page.keyboard.press('Escape');
    await answer.waitFor({ state: 'detached' });
    await tabTo('#event-kind');
    await page.keyboard.type('gap');
    await page.locator('.events td', { hasText: 'standby, 4 min' }).waitFor();
    await tabTo('.events button');
    await page.keyboard.press('Enter');
    await expect.poll(start, { timeout: patience }).not.toBe(moved);
    await tabTo('nav a', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await row('search.db').waitFor();
    expect(await focused()).toBe('Recordings');
    expect(await page.inputValue('#search')).toBe('suite=search');
  });

  test('what can be used comes in the order in which it is seen', async () => {
    await open('#/recording/search.db');
    await page.locator('.processes input').first().waitFor();
    const stops: string[] = [];
    while (!stops.at(-1)?.startsWith('line of')) {
      await page.keyboard.press('Tab');
      const name = await focused();
      // A field for a time has a stop for each of its parts.
      if (name !== stops.at(-1)) stops.push(name);
      expect(stops.length).toBeLessThan(60);
    }
    expect(stops.filter((name) => !/^\d{4}-/.test(name))).toEqual([
      'headroom',
      'Times: America/New_York',
      'earlier',
      'later',
      'closer',
      'farther',
      'All',
      'to-limit',
      expect.stringMatching(/^Memory against its limit\./),
      'Data as a table',
      expect.stringMatching(/^The browser by role/),
      'Data as a table',
      expect.stringMatching(/^Pressure:/),
      'Data as a table',
      'window-from',
      'window-to',
      'Choose',
      'Zoom to it',
      'Clear',
      'event-kind',
      'Events',
      'Processes',
      expect.stringMatching(/^line of/),
    ]);
  });
});

describe('one recording', () => {
  test('a dragged window has the percentiles of report --from --to, to the byte', async () => {
    await open('#/recording/checkout.db');
    await page.locator('.verdict.bad').waitFor();
    await drag(0.1, 0.25);
    const answer = page.locator('.window table');
    await answer.waitFor();
    const { memory, browser } = await reportOf('checkout.db', ...(await chosenRange(answer)));
    const { p50, p90, p95, p99, max } = memory.workingSetBytes;
    expect(await values(answer, 0)).toEqual([p50, p90, p95, p99, max].map(String));
    const pss = browser.pssBytes;
    expect(await values(answer, 1)).toEqual(
      [pss.p50, pss.p90, pss.p95, pss.p99, pss.max].map(String),
    );
    await page.locator('.processes input').first().check();
    await page.locator('.processes figure .u-legend').waitFor();
    expect(await accessProblems(page)).toEqual([]);
    await page.locator('.toolbar').evaluate((toolbar) => toolbar.scrollIntoView());
    await takePicture('page-recording');
  });

  test('the standby is a hole, events say what happened, times are the viewer’s or UTC', async () => {
    await open('#/recording/checkout.db');
    await page.selectOption('#event-kind', 'gap');
    expect(await page.locator('.events tbody tr').textContent()).toContain('standby, 4 min');
    await page.selectOption('#event-kind', 'oom_kill');
    expect(await page.locator('.events tbody').textContent()).toContain('OOM kill');
    // 2026-01-05T10:00:00Z is five o'clock in New York.
    await page.locator('figure details summary').first().click();
    expect(await page.locator('figure details tbody th').first().textContent()).toBe(
      '2026-01-05 05:00:00',
    );
    const rows = await page.locator('figure details tbody tr').allInnerTexts();
    expect(rows.some((text) => /unknown\s+unknown/.test(text))).toBe(true);
    await page.getByRole('button', { name: /^Times: / }).click();
    await page.getByRole('button', { name: 'Times: UTC' }).waitFor();
    await page.locator('figure details summary').first().click();
    expect(await page.locator('figure details tbody th').first().textContent()).toBe(
      '2026-01-05 10:00:00Z',
    );
  });

  test('an OOM kill and an end outside of the session have signs and words of their own', async () => {
    await open('#/recording/search.db');
    await page.locator('.verdict.bad').waitFor();
    const figure = page.locator('figure').first();
    expect(await figure.getAttribute('aria-label')).toMatch(
      / In it: 1 OOM kill of this session, 1 OOM kill outside of this session\.$/,
    );
    expect(await figure.locator('.meanings span').allTextContents()).toEqual([
      '✕ 1 OOM kill of this session',
      '○ 1 OOM kill outside of this session',
    ]);
    const rows = await page.locator('.events tbody tr').allInnerTexts();
    for (const [kind, what] of [
      ['✕ OOM kill', 'chromium'],
      ['○ OOM kill outside', 'cc1plus'],
      ['end of a process outside', 'browser (pid 77001)'],
    ]) {
      expect(rows.filter((row) => row.includes(`\t${kind}\t${what}`))).toHaveLength(1);
    }
  });

  test('a window that is typed', async () => {
    await open('#/recording/search.db');
    await page.locator('#window-from').fill('2026-01-05T05:00:10');
    await page.locator('#window-to').fill('2026-01-05T05:01:10');
    await page.keyboard.press('Enter');
    const answer = page.locator('.window table');
    await answer.waitFor();
    expect(Number(await answer.getAttribute('data-from'))).toBe(Date.parse('2026-01-05T10:00:10Z'));
  });

  test('a drag with Shift or the middle button moves the window, and chooses nothing', async () => {
    await open('#/recording/search.db');
    const figure = page.locator('figure').first();
    const start = async () => Number(await figure.getAttribute('data-from'));
    const end = async () => Number(await figure.getAttribute('data-to'));
    await figure.focus();
    await page.keyboard.press('+');
    const [from, span] = [await start(), (await end()) - (await start())];
    const movedTenths = async () => Math.round((10 * ((await start()) - from)) / span);
    await page.keyboard.down('Shift');
    await drag(0.6, 0.3);
    await page.keyboard.up('Shift');
    await expect.poll(movedTenths, { timeout: patience }).toBe(3);
    await drag(0.2, 0.7, 'middle');
    await expect.poll(movedTenths, { timeout: patience }).toBe(-2);
    expect((await end()) - (await start())).toBe(span);
    expect(await page.locator('.window table').count()).toBe(0);
  });

  test('two side by side', async () => {
    await open('');
    await row('checkout.db').locator('input').check();
    await row('search.db').locator('input').check();
    await page.getByRole('button', { name: 'Compare two' }).click();
    const table = page.locator('main table', { hasText: 'Side by side' });
    await table.waitFor();
    const [a, b] = await Promise.all(['checkout.db', 'search.db'].map((name) => reportOf(name)));
    const cells = await table.locator('tr', { hasText: 'working set max' }).locator('data').all();
    const shown = await Promise.all(cells.map((cell) => cell.getAttribute('value')));
    expect(shown).toEqual([a, b].map((report) => String(report?.memory.workingSetBytes.max)));
    expect(await accessProblems(page)).toEqual([]);
    await takePicture('page-compare');
  });
});

test('a recording that is written moves while it is looked at', async () => {
  const file = path.join(recordings, 'live.db');
  const now = Date.now();
  const samples = [
    ...syntheticSamples({ tickCount: 40, processCount: 8, startUnixMs: now - 60_000 }),
  ];
  const writer = StoreWriter.open(file, syntheticFacts({ startedUnixMs: now - 60_000 }));
  for (const sample of samples.slice(0, 20)) writer.writeSample(sample, []);
  await page.goto(`${server.url}/#/recording/live.db`);
  await expect
    .poll(async () => (await fetch(`${server.url}/api/head?recording=live.db`)).status, {
      timeout: patience,
      interval: 250,
    })
    .toBe(200);
  await page.reload();
  const figure = page.locator('figure').first();
  await figure.and(page.locator('[data-points="20"]')).waitFor();
  for (const sample of samples.slice(20)) writer.writeSample(sample, []);
  await figure.and(page.locator('[data-points="40"]')).waitFor();
  writer.close({ endedUnixMs: samples.at(-1)?.timeUnixMs ?? now, endReason: 'signal' });
  // The page may have asked before the server knew of the file.
  problems = problems.filter((text) => !text.includes('404'));
});

describe('names that are meant to be run', () => {
  test('are text on the page', async () => {
    await open('');
    await row('hostile.db').locator('.sparkline').waitFor();
    expect(await row('hostile.db').locator('.labels').textContent()).toContain(hostile);
    await open('#/recording/hostile.db');
    await page.locator('.processes code').first().waitFor();
    expect(await page.locator('.processes code').first().textContent()).toBe(hostile);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('hostile.db – headroom');
  });

  test('are text in the file', async () => {
    const file = folder.file('hostile.html');
    await html('hostile.db', file);
    await page.goto(`file://${file}`);
    await page.locator('.processes code').first().waitFor();
    expect(await page.locator('.processes code').first().textContent()).toBe(hostile);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('hostile.db – headroom');
  });
});

test('the file works without a network, has the same numbers, and is small', async () => {
  const file = folder.file('checkout.html');
  await html('checkout.db', file);
  expect(statSync(file).size).toBeLessThan(1_000_000);
  await context.setOffline(true);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`file://${file}`);
  await page.locator('.verdict.bad').waitFor();
  await drag(0.1, 0.25);
  const answer = page.locator('.window table');
  await answer.waitFor();
  const { memory } = await reportOf('checkout.db', ...(await chosenRange(answer)));
  const { p50, p90, p95, p99, max } = memory.workingSetBytes;
  expect(await values(answer, 0)).toEqual([p50, p90, p95, p99, max].map(String));
  expect(await accessProblems(page)).toEqual([]);
  expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual(
    [],
  );
});

test('the server gives nothing but what is in its folder, to nobody but its own page', async () => {
  const asked: [string, number][] = [
    ['/api/head?recording=link.db', 404],
    ['/api/head?recording=../recordings/checkout.db', 404],
    ['/api/head?recording=%2e%2e%2fsecret.db', 404],
    ['/api/head?recording=broken.db', 422],
    ['/api/pictures?recording=checkout.db&from=0&to=1&columns=1000000', 400],
    ['/api/pictures?recording=checkout.db&from=0', 400],
    ['/api/window?recording=checkout.db&from=x&to=1', 400],
    ['/../../etc/passwd', 404],
  ];
  for (const [target, status] of asked) {
    expect([target, (await fetch(`${server.url}${target}`)).status]).toEqual([target, status]);
  }
  const headers = { origin: 'http://evil.test' };
  expect((await fetch(`${server.url}/api/recordings`, { headers })).status).toBe(403);
});

async function open(hash: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${server.url}/${hash}`);
  await page.locator('main[data-ready]').waitFor();
}

/** Presses Tab until this has the focus. */
async function tabTo(selector: string, key = 'Tab'): Promise<void> {
  const isThere = `document.activeElement === document.querySelector(${JSON.stringify(selector)})`;
  for (let presses = 0; presses < 60; presses++) {
    if (await page.evaluate<boolean>(isThere)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${selector} is not reached with ${key}`);
}

/** What has the focus: by its name, its id or its words. */
function focused(): Promise<string> {
  return page.evaluate<string>(`(({ ariaLabel, id, textContent }) =>
    ariaLabel || id || textContent.trim())(document.activeElement)`);
}

const row = (name: string) => page.locator(`tr[data-name="${name}"]`);

async function visibleNames(): Promise<(string | null)[]> {
  const rows = await page.locator('tbody tr:not([hidden])').all();
  return await Promise.all(rows.map((one) => one.getAttribute('data-name')));
}

/** Over the first picture, from one share of its width to another. */
async function drag(from: number, to: number, button: 'left' | 'middle' = 'left'): Promise<void> {
  const over = page.locator('.u-over').first();
  await over.scrollIntoViewIfNeeded();
  const { x, y, width } = (await over.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  await page.mouse.move(x + from * width, y + 40);
  await page.mouse.down({ button });
  await page.mouse.move(x + to * width, y + 50, { steps: 4 });
  await page.mouse.up({ button });
}

/** The window that an answer is about, as flags of `report`. */
async function chosenRange(answer: ReturnType<Page['locator']>): Promise<string[]> {
  const iso = async (name: string) =>
    new Date(Number(await answer.getAttribute(name))).toISOString();
  return ['--from', await iso('data-from'), '--to', await iso('data-to')];
}

async function values(table: ReturnType<Page['locator']>, at: number): Promise<(string | null)[]> {
  const cells = await table.locator('tbody tr').nth(at).locator('data').all();
  return await Promise.all(cells.map((cell) => cell.getAttribute('value')));
}

async function reportOf(name: string, ...options: string[]) {
  const file = path.join(recordings, name);
  const { stdout, stderr } = await runCli('report', file, '--format', 'json', ...options);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function html(name: string, out: string): Promise<void> {
  const file = path.join(recordings, name);
  const { exitCode, stderr } = await runCli('report', file, '--format', 'html', '--out', out);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}

/** For the README, on request: what is committed does not change with every run. */
async function takePicture(name: string): Promise<void> {
  if (process.env['HEADROOM_PICTURES'] !== '1') return;
  const file = path.join(pictures, `${name}.png`);
  await page.screenshot({ path: file });
  expect(readFileSync(file).length).toBeLessThan(150_000);
}
