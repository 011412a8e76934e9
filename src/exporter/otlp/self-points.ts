import type { SessionFacts } from '../../model/session.ts';
import type { LedgerTotals } from '../export-ledger.ts';
import { exportMetrics } from '../metric-catalog.ts';
import type { MetricDefinition } from '../metric-definition.ts';
import { identityOf } from '../session-identity.ts';
import { sumOfCounts } from './batch.ts';
import type { SignalTarget } from './endpoint.ts';
import type { Point } from './session-points.ts';

/** What an export did with one signal. */
export interface SignalAccount extends LedgerTotals {
  signal: 'metrics' | 'logs';
  target: SignalTarget;
  /** Of this export alone. */
  retries: number;
}

/** The times of a report: of the session's start, of this exporter's, and now. */
export interface ReportTimes {
  startedUnixMs: number;
  nowUnixMs: number;
}

/** An export's own metrics, at the present time. */
export function selfPoints(
  facts: SessionFacts,
  accounts: readonly SignalAccount[],
  times: ReportTimes,
): Point[] {
  return accounts.flatMap((account) => accountPoints(facts, account, times));
}

/** Changes when there is news to report. */
export function newsOf(accounts: readonly SignalAccount[]): string {
  return accounts
    .map(({ sent, rejected, dropped }) => `${sent} ${rejected} ${sumOfCounts(dropped)}`)
    .join();
}

function accountPoints(facts: SessionFacts, account: SignalAccount, times: ReportTimes): Point[] {
  const { nowUnixMs, startedUnixMs } = times;
  const { sent, rejected, dropped, retries, timeUnixMs } = account;
  const point = (
    metric: MetricDefinition,
    value: number,
    more: { attributes?: Record<string, string>; startUnixMs?: number } = {},
  ): Point => ({
    series: {
      metric,
      attributes: {
        ...identityOf(facts),
        'headroom.export.signal': account.signal,
        'server.address': account.target.url.hostname,
        ...more.attributes,
      },
    },
    startUnixMs: Math.min(more.startUnixMs ?? facts.startedUnixMs, nowUnixMs),
    timeUnixMs: nowUnixMs,
    value,
  });
  const items = (outcome: string, value: number, reason?: string) =>
    point(exportMetrics.items, value, {
      attributes: {
        'headroom.export.outcome': outcome,
        ...(reason === undefined ? {} : { 'error.type': reason }),
      },
    });
  return [
    items('sent', sent),
    items('rejected', rejected),
    ...Object.entries(dropped).map(([reason, count]) => items('dropped', count, reason)),
    point(exportMetrics.retries, retries, { startUnixMs: startedUnixMs }),
    ...(timeUnixMs === null
      ? []
      : [point(exportMetrics.lag, Math.max(0, nowUnixMs - timeUnixMs) / 1000)]),
  ];
}
