import type { SessionReport } from '../../analysis/session-report.ts';
import type { Recording } from '../../model/recording.ts';
import type { RecordingSummary } from './page-data.ts';

const sparklineColumns = 60;

/** What the list of recordings says of one. */
export function recordingSummary(recording: Recording, report: SessionReport): RecordingSummary {
  const { session, coverage, memory, verdict, oomKills } = report;
  const fromUnixMs = coverage.firstUnixMs ?? session.startedUnixMs;
  const toUnixMs = coverage.lastUnixMs ?? fromUnixMs;
  const { figures } = recording.timeline({ fromUnixMs, toUnixMs, columns: sparklineColumns });
  return {
    id: session.id,
    labels: session.labels,
    fromUnixMs,
    toUnixMs,
    isLive: session.isLive,
    verdict: { kind: verdict.kind, summary: verdict.summary },
    peakBytes: memory.workingSetBytes.max,
    limitBytes: memory.limitBytes,
    oomKillCount: oomKills.filter(({ inSession }) => inSession).length,
    sparkline: figures.workingSetMaxBytes.map((bytes, at) => {
      const limit = figures.limitBytes[at] ?? 0;
      return bytes === null || limit <= 0 ? null : Math.round((1000 * bytes) / limit) / 1000;
    }),
  };
}
