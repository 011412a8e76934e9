/**
 * How fast the page is there, in a headless Chromium: the pictures of a recording of 24 hours at 1 s,
 * and the list of a folder with 1,000 recordings; and how long a frame takes while the day is panned.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startServer } from '../test/support/headroom-server.ts';
import { startPageBrowser } from '../test/support/page-browser.ts';
import { writePageRecording } from '../test/support/page-recording.ts';
import { recordDay } from '../test/support/recorded-day.ts';
import { printFigures } from './support/figures.ts';

const rounds = 7;
const recordingCount = 1_000;
const panCount = 60;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
const day = path.join(folder, 'day.db');
const many = path.join(folder, 'many');
recordDay(day, { intervalMs: 1000, processCount: 20 });
writeMany();
const browser = await startPageBrowser();
const load = os.loadavg()[0] ?? 0;
try {
  const ofDay = await firstPaints(day, '#/recording/day.db');
  const ofFolder = await firstPaints(many, '');
  const { frameMs, longestMs } = await panned();
  printFigures(`first paint and panning, middle of ${rounds}, load ${load.toFixed(1)} before`, [
    { name: 'a day at 1 s, its pictures', unit: 'ms', measured: middle(ofDay), budget: 1_000 },
    { name: `a list of ${recordingCount}`, unit: 'ms', measured: middle(ofFolder), budget: 1_000 },
    { name: 'a frame while a day is panned', unit: 'ms', measured: frameMs, budget: 33 },
    { name: 'the longest of them', unit: 'ms', measured: longestMs, budget: 100 },
  ]);
} finally {
  await browser.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

function writeMany(): void {
  fs.mkdirSync(many);
  const first = path.join(many, '0000.db');
  writePageRecording(first, { tickCount: 120, labels: { suite: 'bench' } });
  const past = new Date(Date.now() - 86_400_000);
  for (let at = 1; at < recordingCount; at++) {
    const copy = path.join(many, `${String(at).padStart(4, '0')}.db`);
    fs.copyFileSync(first, copy);
    fs.utimesSync(copy, past, past);
  }
  fs.utimesSync(first, past, past);
}

/** From the start of the navigation to the frame in which it is shown; ms. */
async function firstPaints(source: string, hash: string): Promise<number[]> {
  const server = await startServer(source);
  try {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      times.push(await firstPaint(browser, `${server.url}/${hash}`));
    }
    return times;
  } finally {
    await server.stop();
  }
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage();
  await page.goto(url);
  const time = await shown(page);
  await page.close();
  return time;
}

async function shown(page: Page): Promise<number> {
  const mark = await page.waitForFunction(
    () => performance.getEntriesByName('shown')[0]?.startTime,
    null,
    {
      timeout: 120_000,
    },
  );
  return Number(await mark.jsonValue());
}

/** An hour of the day is moved through it with the arrow key. */
async function panned(): Promise<{ frameMs: number; longestMs: number }> {
  const server = await startServer(day);
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url}/#/recording/day.db`);
    await shown(page);
    await page.locator('figure').first().focus();
    for (let time = 0; time < 4; time++) await page.keyboard.press('+');
    const frames = page.evaluate<number[]>(frameLengths(panCount * 2));
    for (let time = 0; time < panCount; time++) await page.keyboard.press('ArrowRight');
    const lengths = await frames;
    return { frameMs: middle(lengths), longestMs: Math.max(...lengths) };
  } finally {
    await page.close();
    await server.stop();
  }
}

/** For the page, whose language this is not typed for. */
function frameLengths(count: number): string {
  return `(async () => {
    const lengths = [];
    let before = await new Promise(requestAnimationFrame);
    while (lengths.length < ${count}) {
      const now = await new Promise(requestAnimationFrame);
      lengths.push(now - before);
      before = now;
    }
    return lengths;
  })()`;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
