import { analyse, type SessionReport } from '../analysis/session-report.ts';
import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { renderJson } from '../report/json.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { printable } from '../report/printable.ts';
import { renderText, type TextOptions } from '../report/text.ts';
import { elsewhereWords } from '../store/open-for-change.ts';
import { openRecording } from '../store/reader.ts';
import { refuseDamaged } from '../store/refuse-damaged.ts';
import type { Command, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { OutputFile } from './output-file.ts';
import { oneFile, outputOption, switchOption, textOption } from './parse-arguments.ts';
import { boundsOf, rangeOption } from './range-option.ts';
import { textLook } from './text-look.ts';

const formats = ['text', 'markdown', 'json', 'html'] as const;
type Format = (typeof formats)[number];

export const reportCommand: Command = {
  name: 'report',
  summary: 'Summary and post-mortem of one recording: what it needed, and how it ended.',
  usage: ['headroom report FILE [OPTIONS]'],
  options: {
    format: {
      type: 'string',
      value: 'F',
      help: 'text (default), markdown, json, or html: a page in one file',
    },
    json: { type: 'boolean', help: 'the same as --format json' },
    out: { type: 'string', value: 'FILE', help: 'write the report to this file; default stdout' },
    from: {
      type: 'string',
      value: 'T',
      help: 'leave out what is before: a time, or +90s from the start',
    },
    to: {
      type: 'string',
      value: 'T',
      help: 'leave out what is after: a time, or -2m from the end',
    },
  },
  examples: [
    'headroom report task.db',
    'headroom report task.db --format json | jq .verdict',
    'headroom report task.db --format markdown --out task.md',
    'headroom report task.db --format html --out task.html',
    'headroom report task.db --from -5m',
    'headroom report task.db --from 2026-11-29T17:00:00Z --to 2026-11-29T17:10:00Z',
  ],
  async run(parsed, io) {
    const file = oneFile(parsed);
    const format = formatOf(parsed);
    const out = outputOption(parsed);
    refuseDamaged(file);
    using recording = openRecording(file);
    const range = rangeOf(parsed, recording);
    const report = analyse(recording, range);
    const text =
      format === 'html'
        ? await page(recording, report, range)
        : rendered(report, format, () => (out === null ? textLook(io) : {}));
    if (out === null) io.stdout.write(text);
    else await write(text, out, file);
    const elsewhere = recording.isLive ? elsewhereWords(file) : null;
    if (elsewhere !== null) io.stderr.write(`${printable(file)}: ${printable(elsewhere)}\n`);
    return 0;
  },
};

function rendered(
  report: SessionReport,
  format: Exclude<Format, 'html'>,
  look: () => TextOptions,
): string {
  switch (format) {
    case 'json':
      return renderJson(report);
    case 'markdown':
      return renderMarkdown(report);
    case 'text':
      return renderText(report, look());
  }
}

/** Loaded only for a page: others need neither its program nor its hashes. */
async function page(
  recording: Recording,
  report: SessionReport,
  range: TimeRange,
): Promise<string> {
  const { renderHtml } = await import('../report/page/html-file.ts');
  const { pageBundle } = await import('../report/page/page-bundle.ts');
  return renderHtml(recording, report, { bundle: pageBundle(), range });
}

function formatOf(parsed: ParsedArguments): Format {
  const isJson = switchOption(parsed, 'json');
  const text = textOption(parsed, 'format') ?? (isJson ? 'json' : 'text');
  const format = formats.find((known) => known === text);
  if (format === undefined) {
    throw new UsageError(`--format takes text, markdown, json or html, not "${text}"`);
  }
  if (isJson && format !== 'json')
    throw new UsageError(`--json does not go with --format ${format}`);
  return format;
}

function rangeOf(parsed: ParsedArguments, recording: Recording): TimeRange {
  const bounds = boundsOf(recording);
  const range = rangeOption(parsed, recording, 'to');
  // A clock that was set back may have ended the recording before it began.
  const earliest = Math.min(bounds.startUnixMs, bounds.endUnixMs);
  const latest = Math.max(bounds.startUnixMs, bounds.endUnixMs);
  if (range.toUnixMs === undefined && (range.fromUnixMs ?? earliest) > latest) {
    throw new UsageError('--from is after the end of the recording');
  }
  if (range.fromUnixMs === undefined && (range.toUnixMs ?? latest) < earliest) {
    throw new UsageError('--to is before the start of the recording');
  }
  return range;
}

async function write(text: string, out: string, input: string): Promise<void> {
  await using output = await OutputFile.create(out, [input]);
  await output.write(text);
  await output.finish();
}
