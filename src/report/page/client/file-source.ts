import type { SessionReport } from '../../../analysis/session-report.ts';
import type { WindowReport } from '../../../analysis/window.ts';
import { Sketch } from '../../../model/sketch.ts';
import type { PageFile, PagePart, PageSketch, ProcessKey } from '../page-data.ts';
import type { Range, Source } from './source.ts';

/** The data that the file has in itself; null where there is none, and a server is to be asked. */
export function fileSource(): Source | null {
  const text = document.getElementById('page-data')?.textContent ?? null;
  if (text === null) return null;
  const file: PageFile = JSON.parse(text);
  const { head, pictures, processes } = file;
  const isSame = (a: ProcessKey, b: ProcessKey) => a.pid === b.pid && a.startTicks === b.startTicks;
  return {
    list: async () => ({
      schemaVersion: 1,
      source: head.name,
      recordings: [{ name: head.name, summary: null, problem: null }],
      leftOut: 0,
    }),
    head: async () => head,
    report: async () => file.report as SessionReport,
    pictures: async () => pictures,
    processes: async (_name, _request, keys) => ({
      ...processes,
      processes: processes.processes.filter((line) => keys.some((key) => isSame(line, key))),
    }),
    window: async (_name, range) => windowOf(file.parts, range),
    size: () => Promise.reject(new Error('one recording says nothing of others')),
    hasLine: (key) => processes.processes.some((line) => isSame(line, key)),
    listen: () => () => undefined,
  };
}

/** The same sums as the program makes of its own: distributions of parts, added up. */
function windowOf(parts: readonly PagePart[], range: Range): WindowReport {
  const within = parts.filter(
    (part) => part.toUnixMs >= range.fromUnixMs && part.fromUnixMs <= range.toUnixMs,
  );
  const available = merged(within.map((part) => part.available));
  return {
    fromUnixMs: within[0]?.fromUnixMs ?? range.fromUnixMs,
    toUnixMs: within.at(-1)?.toUnixMs ?? range.toUnixMs,
    workingSetBytes: percentiles(merged(within.map((part) => part.workingSet))),
    availableBytes: { p1: quantile(available, 0.01), p50: quantile(available, 0.5) },
    browserPssBytes: percentiles(merged(within.map((part) => part.browserPss))),
  };
}

function merged(sketches: readonly (PageSketch | null)[]): Sketch {
  const whole = new Sketch();
  for (const sketch of sketches) {
    if (sketch === null) continue;
    const { buckets, ...totals } = sketch;
    whole.mergeEncoded(
      Uint8Array.from(atob(buckets), (character) => character.charCodeAt(0)),
      totals,
    );
  }
  return whole;
}

function percentiles(sketch: Sketch): WindowReport['workingSetBytes'] {
  return {
    p50: quantile(sketch, 0.5),
    p90: quantile(sketch, 0.9),
    p95: quantile(sketch, 0.95),
    p99: quantile(sketch, 0.99),
    max: sketch.max,
  };
}

function quantile(sketch: Sketch, q: number): number | null {
  const value = sketch.quantile(q);
  return value === null ? null : Math.round(value);
}
