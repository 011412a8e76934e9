import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PageReport } from '../../src/analysis/pages.ts';
import type { SessionReport } from '../../src/analysis/session-report.ts';
import { findChromium } from '../../src/host/browser/find-chromium.ts';
import { launchChromium, type RunningChromium } from '../../src/host/browser/launch-chromium.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { type Sites, serveSites } from '../support/page-server.ts';
import { patience } from '../support/recorded-browser.ts';

// What a page can notice of somebody who looks at it.
const noticing = `<!doctype html><title>watchful</title><script>
  window.noticed = [];
  const notice = ({ type }) => noticed.push(type);
  addEventListener('load', () => {
    new MutationObserver(() => notice({ type: 'mutation' }))
      .observe(document, { subtree: true, childList: true, attributes: true });
    for (const event of ['freeze', 'resume', 'visibilitychange', 'securitypolicyviolation', 'resize', 'error']) {
      document.addEventListener(event, notice);
      window.addEventListener(event, notice);
    }
  });
  addEventListener('pageshow', ({ persisted }) => { if (persisted) fetch('/kept'); });
</script>`;

// Chromium itself asks for the icon.
const loaded = `performance.getEntriesByType('resource')
  .map(({ name }) => name).filter((name) => !name.endsWith('/favicon.ico'))`;

const numbers = { framed: 2, shared: 3, crashed: 4, left: 5, entered: 6, frames: [7, 8] };

const folder = temporaryFolder();
const file = folder.file('pages.db');
let sites: Sites;
let chromiumHere: RunningChromium;
let client: Browser;
let report: SessionReport;
/** Of the tab that has moved on. */
let moved: Page;
let watchful: Page;

// Playwright has all pages in hand while Headroom looks for them.
beforeAll(async () => {
  const executable = findChromium(process.env);
  if (executable === null) throw new Error('no Chromium: install the package chromium');
  sites = await serveSites((path, { origin }) =>
    path === '/frames'
      ? numbers.frames.map((site) => `<iframe src="${origin(site)}/"></iframe>`).join('')
      : noticing,
  );
  chromiumHere = await launchChromium(executable);
  const { child, result } = startCli([
    ...['record', '--cdp', 'auto', '--pid', String(chromiumHere.pid), '--interval', '500ms'],
    ...['--out', file, '--quiet'],
  ]);
  try {
    client = await chromium.connectOverCDP(`http://127.0.0.1:${chromiumHere.devtools.port}`);
    const [context] = client.contexts();
    if (context === undefined) throw new Error('the browser has no context');
    const open = async (url: string) => {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    };
    moved = await open(`${sites.origin(numbers.left)}/`);
    await placed([numbers.left]);
    await moved.goto(`${sites.origin(numbers.entered)}/`);
    await placed([numbers.entered]);
    const movedUnixMs = Date.now();
    await open(`${sites.origin(numbers.framed)}/frames`);
    watchful = await open(`${sites.origin(numbers.shared)}/`);
    await Promise.all([
      watchful.waitForEvent('popup'),
      watchful.evaluate("open('/child') !== null"),
    ]);
    const doomed = await open(`${sites.origin(numbers.crashed)}/`);
    await placed([numbers.framed, ...numbers.frames, numbers.shared, numbers.shared]);
    await placed([numbers.crashed]);
    const crash = doomed.waitForEvent('crash', patience);
    void doomed.goto('chrome://crash').catch(String);
    await crash;
    await vi.waitFor(() => {
      using recording = openRecording(file);
      expect(recording.events().map(({ kind }) => kind)).toContain('target_crash');
      // A process is without a page when it has had none for 5 s.
      expect(recording.lastTick()?.timeUnixMs).toBeGreaterThan(movedUnixMs + 6_000);
    }, patience);
    child.kill('SIGTERM');
    expect((await result).exitCode).toBe(0);
  } finally {
    child.kill('SIGKILL');
    await result;
  }
  report = JSON.parse((await runCli('report', file, '--json')).stdout);
}, 300_000);

afterAll(async () => {
  await client?.close();
  await chromiumHere?.close();
  sites?.close();
  folder[Symbol.dispose]();
});

test('a page with frames of other sites is in several processes', () => {
  const [page] = pagesAt(numbers.framed);
  const frames = page?.processes.filter(({ isFrame }) => isFrame);
  expect(pidsOf(page?.processes), JSON.stringify(page)).toHaveLength(3);
  expect(pidsOf(frames), JSON.stringify(page)).toHaveLength(2);
});

test('a page and what it opened share a process, whose memory is not divided', () => {
  const pages = pagesAt(numbers.shared);
  expect(pages).toHaveLength(2);
  const [first, second] = pages;
  expect(pidsOf(first?.processes)).toEqual(pidsOf(second?.processes));
  expect(pages.map(({ isShared }) => isShared)).toEqual([true, true]);
  expect(first?.processes[0]?.sharedWith).toEqual([second?.targetId]);
});

test('the page that crashed, and the end of its process, have what the browser said', () => {
  const [page] = pagesAt(numbers.crashed);
  // Of a page that was taken to be in another process than the one that died, this shows in which.
  const told = eventsOf(file).filter(({ kind }) => /^(page|target_crash|process_exit)$/.test(kind));
  const seen = JSON.stringify({ page, told });
  expect(page?.crash, seen).toMatchObject({ status: 'crashed', errorCode: 11 });
  const pid = page?.processes[0]?.pid;
  const death = report.deaths.find((candidate) => candidate.pid === pid);
  expect(death).toMatchObject({ role: 'renderer', verdict: 'crash' });
  expect(death?.evidence.join()).toContain('crashed, error code 11');
});

test('Playwright has its pages in hand, and no page noticed anything', async () => {
  expect(await watchful.title()).toBe('watchful');
  expect(await watchful.evaluate('window.noticed')).toEqual([]);
  expect(await watchful.evaluate(loaded)).toEqual([]);
  const once = [
    `${sites.origin(numbers.framed)}/frames`,
    ...numbers.frames.map((site) => `${sites.origin(site)}/`),
    `${sites.origin(numbers.shared)}/`,
    `${sites.origin(numbers.shared)}/child`,
    `${sites.origin(numbers.crashed)}/`,
    `${sites.origin(numbers.left)}/`,
    `${sites.origin(numbers.entered)}/`,
  ];
  expect(sites.requests.toSorted()).toEqual(once.toSorted());
});

test('the document that is kept for the back button has a process without a page', async () => {
  const [left] = pagesAt(numbers.left);
  const pid = left?.processes[0]?.pid;
  expect(report.outsidePages?.pids).toContain(pid);
  // It says itself that it is the same as before.
  void moved.evaluate('history.back()').catch(String);
  await vi.waitFor(
    () => expect(sites.requests).toContain(`${sites.origin(numbers.left)}/kept`),
    patience,
  );
});

function pagesAt(site: number): PageReport[] {
  return report.pages.filter(({ url }) => url === sites.origin(site));
}

/** Of each once: one that gave no answer for a while was in its process twice. */
function pidsOf(processes: PageReport['processes'] = []): number[] {
  return [...new Set(processes.map(({ pid }) => pid))];
}

/** Until so many targets of these sites are known to be in a process now. */
async function placed(wanted: readonly number[]): Promise<void> {
  await vi.waitFor(() => {
    const now = new Map<string, string | null>();
    for (const event of eventsOf(file)) {
      if (event.kind === 'page')
        now.set(event.targetId, event.state === 'placed' ? event.url : null);
    }
    const found = [...now.values()];
    for (const site of wanted) {
      const url = sites.origin(site);
      const count = wanted.filter((other) => other === site).length;
      expect(found.filter((other) => other === url).length).toBeGreaterThanOrEqual(count);
    }
  }, patience);
}

function eventsOf(path: string): RecordingEvent[] {
  using recording = openRecording(path);
  return recording.events();
}
