/**
 * How fast the page is there, in a headless Chromium: a recording of 24 hours at 1 s on the first
 * visit of a server that was just started, until its memory is seen and until all its pictures are
 * drawn; the list of a folder with 1,000 recordings; beside them a page with one word on it, below
 * which nothing gets; and how long a frame takes while the day is panned, by keyboard and by the pointer.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startServer } from '../test/support/headroom-server.ts';
import { startPageBrowser } from '../test/support/page-browser.ts';
import { writePageRecording } from '../test/support/page-recording.ts';
import { servePage } from '../test/support/page-server.ts';
import { recordDay } from '../test/support/recorded-day.ts';
import { printFigures, round } from './support/figures.ts';

const rounds = 7;
const recordingCount = 1_000;
const panCount = 60;
const dayHash = '#/recording/day.db';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
const day = path.join(folder, 'day.db');
const many = path.join(folder, 'many');
recordDay(day, { intervalMs: 1000, processCount: 20 });
writeMany();
const browser = await startPageBrowser();
const load = os.loadavg()[0] ?? 0;
try {
  const floor: number[] = [];
  const ofDay: number[] = [];
  const ofAll: number[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    floor.push(await floorPaint());
    const [seen] = await firstPaints(day, { hash: dayHash, marks: ['shown', 'drawn'], count: 1 });
    ofDay.push(seen?.[0] ?? Number.NaN);
    ofAll.push(seen?.[1] ?? Number.NaN);
  }
  const seen = await firstPaints(many, { hash: '', marks: ['shown'], count: rounds });
  const ofFolder = seen.map(([time = Number.NaN]) => time);
  const byKey = await panned(pressKeys);
  const byPointer = await panned(dragPointer);
  printFigures(`first paint and panning, middle of ${rounds}, load ${load.toFixed(1)} before`, [
    { name: 'a day at 1 s, its memory', unit: 'ms', measured: middle(ofDay), budget: 1_000 },
    { name: 'all its pictures', unit: 'ms', measured: middle(ofAll), budget: 1_000 },
    { name: `a list of ${recordingCount}`, unit: 'ms', measured: middle(ofFolder), budget: 1_000 },
    { name: 'a frame, panned by keyboard', unit: 'ms', measured: middle(byKey), budget: 33 },
    { name: 'the longest of them', unit: 'ms', measured: Math.max(...byKey), budget: 100 },
    { name: 'a frame, dragged', unit: 'ms', measured: middle(byPointer), budget: 33 },
    { name: 'the longest of them', unit: 'ms', measured: Math.max(...byPointer), budget: 100 },
  ]);
  const times = round(middle(ofDay) / middle(floor));
  process.stdout.write(
    `  an empty page: ${round(middle(floor))} ms; the day takes ${times} times as long\n`,
  );
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

/** Of each visit: from the start of the navigation to the frames that the page marks; ms. */
async function firstPaints(
  source: string,
  { hash, marks, count }: { hash: string; marks: string[]; count: number },
): Promise<number[][]> {
  const server = await startServer(source);
  try {
    const times: number[][] = [];
    for (let turn = 0; turn < count; turn++) {
      times.push(await firstPaint(`${server.url}/${hash}`, marks));
    }
    return times;
  } finally {
    await server.stop();
  }
}

async function floorPaint(): Promise<number> {
  const mark = "requestAnimationFrame(() => setTimeout(() => performance.mark('shown')))";
  const empty = await servePage(`<!doctype html><p>empty</p><script>${mark}</script>`);
  try {
    const [time = Number.NaN] = await firstPaint(empty.url, ['shown']);
    return time;
  } finally {
    empty.close();
  }
}

async function firstPaint(url: string, marks: readonly string[]): Promise<number[]> {
  const page = await browser.newPage();
  await page.goto(url);
  const times: number[] = [];
  for (const mark of marks) times.push(await timeOf(page, mark));
  await page.close();
  return times;
}

async function timeOf(page: Page, name: string): Promise<number> {
  const mark = await page.waitForFunction(
    (wanted) => performance.getEntriesByName(wanted)[0]?.startTime,
    name,
    { timeout: 120_000 },
  );
  return Number(await mark.jsonValue());
}

/** How long frames take while an hour and a half of the day are moved through it; ms. */
async function panned(move: (page: Page) => Promise<void>): Promise<number[]> {
  const server = await startServer(day);
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url}/${dayHash}`);
    await timeOf(page, 'drawn');
    await page.locator('figure').first().focus();
    for (let time = 0; time < 4; time++) await page.keyboard.press('+');
    const frames = page.evaluate<number[]>(frameLengths(panCount * 2));
    await move(page);
    return await frames;
  } finally {
    await page.close();
    await server.stop();
  }
}

async function pressKeys({ keyboard }: Page): Promise<void> {
  for (let time = 0; time < panCount; time++) await keyboard.press('ArrowRight');
}

async function dragPointer(page: Page): Promise<void> {
  const { x, y, width } = (await page.locator('.u-over').first().boundingBox()) ?? noBox;
  await page.keyboard.down('Shift');
  await page.mouse.move(x + 0.9 * width, y + 40);
  await page.mouse.down();
  await page.mouse.move(x + 0.1 * width, y + 40, { steps: panCount });
  await page.mouse.up();
}

const noBox = { x: 0, y: 0, width: 0 };

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
