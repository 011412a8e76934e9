import type { SessionReport } from '../../analysis/session-report.ts';
import { findChromium } from '../../host/browser/find-chromium.ts';
import { shellQuote } from '../../report/shell-quote.ts';
import { renderShortText } from '../../report/text.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { pathOption, switchOption, textOption } from '../parse-arguments.ts';
import { parseDuration } from '../quantities.ts';
import { textLook } from '../text-look.ts';
import { type DemoFiles, demoFiles } from './demo-files.ts';
import { writePostMortem } from './post-mortem.ts';
import { runHeadroom } from './run-headroom.ts';
import { sessionStory } from './session-story.ts';

const defaultDuration = '40s';

export const demoCommand: Command = {
  name: 'demo',
  summary:
    'The whole story in a minute: a real browser session on this machine, recorded, killed, explained.',
  usage: ['headroom demo [--for D] [--interval D] [--out FILE]'],
  options: {
    for: {
      type: 'string',
      value: 'D',
      help: `how long to record (default ${defaultDuration}); the kill is waited for, so about 15s at least`,
    },
    interval: { type: 'string', value: 'D', help: 'time between two samples (default 1s)' },
    out: {
      type: 'string',
      value: 'FILE',
      help: 'the recording; default recordings/demo-TIME.db; the page is beside it, as .html',
    },
    json: { type: 'boolean', help: 'verdict and files as JSON, instead of the report' },
  },
  examples: [
    'headroom demo',
    'headroom demo --for 5m --out leak.db                  # a slow leak, to be watched live',
    'HEADROOM_CHROMIUM=/opt/chrome/chrome headroom demo --json',
  ],
  run: runDemo,
};

async function runDemo(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  if (parsed.positionals.length > 0) {
    throw new UsageError(`demo takes no arguments, not "${parsed.positionals.join(' ')}"`);
  }
  const duration = textOption(parsed, 'for') ?? defaultDuration;
  const durationMs = parseDuration('--for', duration);
  if (durationMs === 0) throw new UsageError('--for takes more than 0s');
  const interval = textOption(parsed, 'interval') ?? '1s';
  const intervalMs = parseDuration('--interval', interval);
  if (intervalMs < 100 || intervalMs > 3_600_000) {
    throw new UsageError('--interval takes 100ms to 1h');
  }
  const files = demoFiles(pathOption(parsed, 'out'), new Date());
  // Also of a process that ends without waiting, as after a third Ctrl-C.
  process.once('exit', files.removeEmptyFolders);
  try {
    return await tell(parsed, io, { files, duration, durationMs, interval, intervalMs });
  } finally {
    process.off('exit', files.removeEmptyFolders);
    files.removeEmptyFolders();
  }
}

interface Wish {
  files: DemoFiles;
  duration: string;
  durationMs: number;
  interval: string;
  intervalMs: number;
}

async function tell(
  parsed: ParsedArguments,
  io: CommandIo,
  { files, duration, durationMs, interval, intervalMs }: Wish,
): Promise<number> {
  const { recording } = files;
  const executable = findChromium(io.env);
  if (executable === null) {
    io.stderr.write(
      'No Chromium or Chrome here (PATH, HEADROOM_CHROMIUM): recording the machine as it is.\n',
    );
    const times = ['--for', duration, '--interval', interval];
    const args = ['record', ...times, '--out', recording, '--label', 'workload=demo'];
    const exitCode = await runHeadroom(args, io.signal);
    if (exitCode !== 0) return exitCode;
  } else if (!(await sessionStory({ executable, recording, durationMs, intervalMs, io }))) {
    return interruptedExitCode;
  }
  const report = await writePostMortem(files);
  if (switchOption(parsed, 'json')) io.stdout.write(`${JSON.stringify(jsonOf(report, files))}\n`);
  else io.stdout.write(`\n${renderShortText(report, textLook(io))}${nextSteps(files)}`);
  return 0;
}

/** As a shell reports a program that Ctrl-C ended: 128 + SIGINT. */
const interruptedExitCode = 130;

function jsonOf(
  { verdict, memory, oomKills }: SessionReport,
  { recording, page }: DemoFiles,
): object {
  return {
    schemaVersion: 1,
    recording,
    page,
    verdict: { kind: verdict.kind, summary: verdict.summary },
    limitBytes: memory.limitBytes,
    peakBytes: memory.workingSetBytes.max,
    oomKillCount: oomKills.filter(({ inSession }) => inSession).length,
  };
}

function nextSteps({ recording, page }: DemoFiles): string {
  const file = shellQuote(recording);
  return [
    '',
    `Post-mortem page, in one file: ${page}`,
    'What next:',
    `  npx headroom report ${file}`,
    `  npx headroom export ${file} --to ndjson`,
    '  npx headroom record --for 10m --out mine.db     (while your own browser works)',
    '',
  ].join('\n');
}
