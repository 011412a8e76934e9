import type { CursorStore } from '../../src/exporter/export-ledger.ts';
import type { ExportEvent } from '../../src/exporter/export-options.ts';
import type { OtlpTarget, SignalTarget } from '../../src/exporter/otlp/endpoint.ts';
import { resolveTarget } from '../../src/exporter/otlp/endpoint.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { ExportCursor } from '../../src/store/export-cursor.ts';
import { type FakeRecordingParts, fakeRecording } from './fake-recording.ts';
import { fakeSample, startUnixMs } from './fake-sample.ts';

/** Every tick of {@link tenPointRecording} makes so many points. */
export const pointsPerTick = 10;

/** A recording of ticks that make ten points each: what is left out of a fake sample is unknown. */
export function tenPointRecording(
  ticks: number,
  parts: Partial<FakeRecordingParts> = {},
): Recording {
  const samples = Array.from({ length: ticks }, (_, second) =>
    fakeSample({ second, machine: { buffersBytes: 1, cachedBytes: 2 } }),
  );
  return fakeRecording({ samples, ...parts });
}

/** A minute after the tick of this second. */
export function soonAfter(second: number): number {
  return startUnixMs + second * 1000 + 60_000;
}

/** Metrics as JSON, and no logs. */
export function jsonTarget(url: string, parts: Partial<OtlpTarget> = {}): OtlpTarget {
  const flags = { endpoint: url, protocol: 'http/json', sendsLogs: false };
  return { ...resolveTarget(flags, {}), ...parts };
}

export function jsonSignal(url: string, parts: Partial<SignalTarget> = {}): SignalTarget {
  return { ...jsonTarget(url).metrics, ...parts };
}

/** Keeps cursors in memory as the store keeps them in the file. */
export class MemoryCursors implements CursorStore {
  readonly cursors = new Map<string, ExportCursor>();

  readCursor = (path: string, target: string): ExportCursor | null =>
    this.cursors.get(`${path} ${target}`) ?? null;

  advanceCursor: CursorStore['advanceCursor'] = (path, target, advance) => {
    const before = advance.startsOver === true ? null : this.readCursor(path, target);
    const cursor: ExportCursor = {
      target,
      sequence: advance.sequence,
      timeUnixMs: advance.timeUnixMs,
      sentCount: (before?.sentCount ?? 0) + (advance.sentCount ?? 0),
      droppedCount: (before?.droppedCount ?? 0) + (advance.droppedCount ?? 0),
      rejectedCount: (before?.rejectedCount ?? 0) + (advance.rejectedCount ?? 0),
      detail: advance.detail ?? null,
    };
    this.cursors.set(`${path} ${target}`, cursor);
    return cursor;
  };
}

/** The texts of the warnings among these events. */
export function warningsOf(events: readonly ExportEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
}

/** The delays, in ms, that an export waited before it tried again. */
export function delaysOf(events: readonly ExportEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'waiting' ? [event.delayMs] : []));
}
