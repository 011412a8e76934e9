import type { SessionReport } from '../../analysis/session-report.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { Ownership } from './ownership.ts';
import type { PageBundle } from './page-bundle.ts';
import type { PageFile, PagePart, PageSketch, ShownEvent } from './page-data.ts';
import { filePage } from './page-html.ts';
import { processLines } from './process-lines.ts';
import { recordingHead } from './recording-head.ts';

// An hour at 1 s is there sample by sample, and stays below a megabyte.
const columns = 4_000;
const partCount = 300;
const lineCount = 16;
const lineColumns = 300;
// In the file as it is in the report; what has not been among the first was small.
const mostProcesses = 200;

/**
 * A recording, or a part of it, as one HTML file that needs nothing beside it. What it may do is
 * bound by a policy that knows its one script and its one style by their hashes.
 */
export function renderHtml(
  recording: Recording,
  report: SessionReport,
  { bundle, range = {} }: { bundle: PageBundle; range?: TimeRange },
): string {
  return filePage(bundle, JSON.stringify(pageFile(recording, report, range)));
}

function pageFile(recording: Recording, report: SessionReport, range: TimeRange): PageFile {
  const head = recordingHead(recording, range);
  const fromUnixMs = Math.max(head.fromUnixMs, range.fromUnixMs ?? head.fromUnixMs);
  const toUnixMs = Math.max(fromUnixMs, Math.min(head.toUnixMs, range.toUnixMs ?? head.toUnixMs));
  const window = { fromUnixMs, toUnixMs };
  const processes = report.processes.slice(0, mostProcesses);
  return {
    schemaVersion: 1,
    head: { ...head, ...window, events: markedEvents(head.events, report) },
    report: { ...report, processes },
    pictures: {
      session: recording.timeline({ ...window, columns }),
      roles: recording.roleTimeline({ ...window, columns: columns / 4 }),
    },
    processes: processLines(
      recording,
      { ...window, columns: lineColumns },
      processes.slice(0, lineCount),
    ),
    parts: [...parts(recording, window)],
  };
}

/** In the report of the file there are not all processes, and those of others come last. */
function markedEvents(events: readonly ShownEvent[], report: SessionReport): ShownEvent[] {
  const ownership = new Ownership();
  ownership.learn(report);
  return events.map((event) =>
    event.kind === 'process_exit' && ownership.of(event) === 'outside'
      ? { ...event, isOutside: true }
      : event,
  );
}

function* parts(
  recording: Recording,
  { fromUnixMs, toUnixMs }: { fromUnixMs: number; toUnixMs: number },
): Generator<PagePart> {
  const length = partMs(toUnixMs - fromUnixMs);
  // On the clock's own minutes where they are that long: then the file knows them already.
  for (let at = length * Math.floor(fromUnixMs / length); at <= toUnixMs; at += length) {
    const part = {
      fromUnixMs: Math.max(at, fromUnixMs),
      toUnixMs: Math.min(at + length - 1, toUnixMs),
    };
    const of = (metric: Series['metric']) =>
      sketchOf(recording, { scope: 'session', metric }, part);
    yield {
      ...part,
      workingSet: of('working_set'),
      available: of('available'),
      browserPss: of('browser_pss'),
    };
  }
}

const partLengths = [1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000];

function partMs(durationMs: number): number {
  return partLengths.find((length) => durationMs / length <= partCount) ?? 86_400_000;
}

function sketchOf(recording: Recording, series: Series, range: TimeRange): PageSketch | null {
  const sketch = recording.distribution(series, range);
  if (sketch === null || sketch.min === null || sketch.max === null) return null;
  const { count, sum, min, max } = sketch;
  return { count, sum, min, max, buckets: Buffer.from(sketch.encode()).toString('base64') };
}
