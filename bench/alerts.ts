/**
 * What alerts are worth: how long before a kill by the kernel or a memory stall each rule spoke, and
 * how often in RUNS (10) runs of real browsers that end well, SECONDS (20) each in 1 GiB: there it is
 * to be never. DEATHS=0 leaves the deaths out. Needs root, and a Chromium.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { analyse } from '../src/analysis/session-report.ts';
import { HeadroomError } from '../src/model/errors.ts';
import { openRecording } from '../src/store/reader.ts';
import { startCli } from '../test/support/headroom-cli.ts';
import { serveSites } from '../test/support/page-server.ts';
import { chromiumCommand, copiedChromiumCommand } from '../test/support/recorded-browser.ts';
import { benignPages, deadlyPages, type ScriptedPage } from './support/alert-pages.ts';
import { printTable } from './support/figures.ts';

const runs = Number(process.env['RUNS'] ?? 10);
const seconds = Number(process.env['SECONDS'] ?? 20);
const rules = ['headroom<10%', 'headroom<200MiB', 'time-to-limit<30s', 'pressure>20%', 'stall>10%'];
const patienceMs = 240_000;
const endings = ['kernel_oom', 'memory_stall'];

const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
let falseCount = 0;
try {
  await tellBenign();
  if (process.env['DEATHS'] !== '0') await tellDeaths();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (falseCount > 0) process.exitCode = 1;

async function tellBenign(): Promise<void> {
  const rows = [['run', 'page', 'verdict', 'lowest headroom', 'alerts']];
  for (let run = 0; run < runs; run++) {
    const page = benignPages[run % benignPages.length];
    if (page === undefined) continue;
    const endUnixMs = Date.now() + seconds * 1_000;
    const file = await record(`benign-${run}`, page, () => Date.now() >= endUnixMs);
    const { verdict, memory, session } = analyse(file);
    const told = alertsIn(file);
    falseCount += told.length;
    const lowest = `${Math.round((memory.headroomMinRatio ?? 0) * 100)} %`;
    const messages = told
      .map(({ message, timeUnixMs }) => {
        const seconds = ((timeUnixMs - session.startedUnixMs) / 1_000).toFixed(1);
        return `after ${seconds} s ${message}`;
      })
      .join(' | ');
    rows.push([String(run + 1), page.name, verdict.kind, lowest, messages || 'none']);
  }
  const title = `${falseCount} alerts in ${runs} benign runs of ${seconds} s; rules: ${rules.join(', ')}`;
  printTable(title, rows);
}

async function tellDeaths(): Promise<void> {
  const rows = [['page', 'verdict', ...rules]];
  for (const page of deadlyPages) {
    const file = await record(page.name.replaceAll(/\W/g, '-'), page, isOver);
    const { verdict, leads } = analyse(file);
    const [end] = leads;
    const told = alertsIn(file);
    const before = rules.map((rule) => {
      const alert = told.find(({ message }) => message.startsWith(rule));
      if (alert === undefined || end === undefined) return 'never';
      return `${((end.timeUnixMs - alert.timeUnixMs) / 1_000).toFixed(1)} s`;
    });
    rows.push([page.name, verdict.kind, ...before]);
  }
  printTable('From the alert to the first kill or stall (negative: after it)', rows);
}

/** Until it is over, or for so long that a page of a busy machine gets there as well. */
async function record(
  name: string,
  page: ScriptedPage,
  isOverNow: (file: string) => boolean,
): Promise<string> {
  const file = path.join(folder, `${name}.db`);
  const sites = await serveSites((asked, { origin }) =>
    asked === '/main' ? page.html(origin) : '<title>part</title><p>a part',
  );
  const url = `${sites.origin(2)}/main`;
  const command =
    page.copiesProgram === true
      ? copiedChromiumCommand(file, [url], path.join(folder, 'chromium'))
      : chromiumCommand(file, [url]);
  const { child, result } = startCli([
    ...['record', '--quiet', '--memory-limit', page.limit, '--out', file],
    ...rules.flatMap((rule) => ['--alert', rule]),
    '--',
    ...command,
  ]);
  try {
    for (const startMs = performance.now(); performance.now() - startMs < patienceMs; ) {
      await sleep(500);
      if (existsSync(file) && isOverNow(file)) break;
    }
  } finally {
    child.kill('SIGTERM');
    await result;
    sites.close();
    rmSync(`${file}-profile`, { recursive: true, force: true });
  }
  return file;
}

function isOver(file: string): boolean {
  try {
    return endings.includes(analyse(file).verdict.kind);
  } catch (error) {
    // It is only just being made.
    if (error instanceof HeadroomError) return false;
    throw error;
  }
}

function alertsIn(file: string) {
  using recording = openRecording(file);
  return recording.events().flatMap((event) => {
    return event.kind === 'note' && event.code === 'alert' ? [event] : [];
  });
}
