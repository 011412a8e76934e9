import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from '../../host/browser/find-chromium.ts';
import { launchChromium } from '../../host/browser/launch-chromium.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { textOption } from '../parse-arguments.ts';
import { parseDuration } from '../quantities.ts';
import { shellQuote } from '../shell-quote.ts';
import { servePages } from './pages.ts';
import { runHeadroom } from './run-headroom.ts';

export const demoCommand: Command = {
  name: 'demo',
  summary: 'Records a real headless Chromium on a few local pages, then prints the report.',
  usage: ['headroom demo [--for D] [--interval D] [--out FILE]'],
  options: {
    for: { type: 'string', value: 'D', help: 'how long to record (default 20s)' },
    interval: { type: 'string', value: 'D', help: 'time between two samples (default 1s)' },
    out: { type: 'string', value: 'FILE', help: 'file (default recordings/demo-TIME.db)' },
  },
  examples: [
    'headroom demo',
    'headroom demo --for 2m --interval 500ms --out demo.db',
    'HEADROOM_CHROMIUM=/opt/chrome/chrome headroom demo',
  ],
  run: runDemo,
};

async function runDemo(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  if (parsed.positionals.length > 0) {
    throw new UsageError(`demo takes no arguments, not "${parsed.positionals.join(' ')}"`);
  }
  const duration = textOption(parsed, 'for') ?? '20s';
  const interval = textOption(parsed, 'interval') ?? '1s';
  parseDuration('--for', duration);
  parseDuration('--interval', interval);
  const file = textOption(parsed, 'out') ?? defaultFile(new Date());
  mkdirSync(path.dirname(file), { recursive: true });

  const recorded = await withBrowser(io, (browserPid) => {
    // Other browsers may run here as well: the report is to be about this one.
    const browser = browserPid === null ? [] : ['--pid', String(browserPid)];
    const args = ['--for', duration, '--interval', interval, '--out', file, ...label, ...browser];
    return runHeadroom(['record', ...args], io.signal);
  });
  if (recorded !== 0) return recorded;
  io.stdout.write('\n');
  const reported = await runHeadroom(['report', file], io.signal);
  if (reported === 0) io.stdout.write(nextSteps(file));
  return reported;
}

const label = ['--label', 'workload=demo'];

function defaultFile(now: Date): string {
  const time = now.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return path.join('recordings', `demo-${time}.db`);
}

/** Does the work while a Chromium shows the demo's pages; without one where none is to be had. */
async function withBrowser(
  io: CommandIo,
  work: (browserPid: number | null) => Promise<number>,
): Promise<number> {
  const executable = findChromium(io.env);
  if (executable === null) {
    io.stderr.write(
      'No Chromium or Chrome here (PATH, HEADROOM_CHROMIUM): recording the machine as it is.\n',
    );
    return work(null);
  }
  const pages = await servePages();
  try {
    const browser = await launchChromium(executable);
    try {
      for (const url of pages.urls) await browser.open(url);
      io.stderr.write(`${browser.version}, ${pages.urls.length} local pages open.\n`);
      // The user may have asked to end while the browser was coming up.
      return io.signal.aborted ? interruptedExitCode : await work(browser.pid);
    } finally {
      await browser.close();
    }
  } finally {
    await pages.close();
  }
}

/** As a shell reports a program that Ctrl-C ended: 128 + SIGINT. */
const interruptedExitCode = 130;

function nextSteps(path: string): string {
  const file = shellQuote(path);
  return [
    '',
    `The recording is ${file}. What next:`,
    `  npx headroom report ${file} --format json`,
    `  npx headroom export ${file} --to ndjson`,
    '  npx headroom record --for 10m --out mine.db     (while your own browser works)',
    '',
  ].join('\n');
}
