import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { Target } from './targets.ts';

/** The plugin `frser-sqlite-datasource`, and the variable with its data source. */
export const sqlite = { type: 'frser-sqlite-datasource', uid: '${sqlite}' };

/** Lines over time: a column `time` in Unix seconds, ascending, texts as labels, and figures. */
export function sqlLines(sql: string): Target {
  return (refId) => sqlQuery({ refId, sql, queryType: 'time series' });
}

/** Rows as they are; a column `time` is shown as a time. */
export function sqlRows(sql: string): Target {
  return (refId) => sqlQuery({ refId, sql, queryType: 'table' });
}

/** A row is of the time range of the dashboard. */
export const inRange = 't BETWEEN $__from / 1000.0 AND $__to / 1000.0';

/** The start of the step of the panel in which `t` is, in Unix seconds: what rows are grouped by. */
export function stepOf(t: string): string {
  return `CAST(${t} * 1000 / $__interval_ms AS INTEGER) * $__interval_ms / 1000.0`;
}

/**
 * Rows of `role_sample` hold until the next one: what the highest of each role was in each step, so
 * that the roles can be stacked.
 */
export function rolesOverTime(figure: string): string {
  return `WITH
  held AS MATERIALIZED (SELECT t, valid_until, role, ${figure} FROM role_sample),
  step AS MATERIALIZED (
    SELECT DISTINCT ${stepOf('t')} AS time FROM session_sample WHERE ${inRange}
  )
SELECT step.time, held.role, max(held.${figure}) AS ${figure}
FROM step JOIN held
  ON held.t < step.time + $__interval_ms / 1000.0 AND held.valid_until > step.time
GROUP BY step.time, held.role
ORDER BY step.time`;
}

/** How fast counters of `tick` grow in each step, in their unit by ms of the monotonic clock. */
export function counterRates(columns: Readonly<Record<string, string>>): string {
  const counters = Object.keys(columns).map((column) => `max(${column}) AS ${column}`);
  // A counter that went back was begun anew.
  const rates = Object.entries(columns).map(
    ([column, title]) =>
      `  CASE WHEN ${column} >= lag(${column}) OVER steps THEN
    1.0 * (${column} - lag(${column}) OVER steps) / (clock - lag(clock) OVER steps) END AS "${title}"`,
  );
  return `SELECT time,
${rates.join(',\n')}
FROM (
  SELECT ${stepOf('time_unix_ms / 1000.0')} AS time, max(monotonic_ms) AS clock,
    ${counters.join(', ')}
  FROM tick
  WHERE time_unix_ms BETWEEN $__from AND $__to
  GROUP BY 1
)
WINDOW steps AS (ORDER BY time)
ORDER BY time`;
}

/** What the plugin reads: `rawQueryText` is the text before variables are put in. */
export function sqlQuery(query: {
  refId: string;
  sql: string;
  queryType: 'time series' | 'table';
}): Builder<Dataquery> {
  const { refId, sql, queryType } = query;
  return {
    build: () => ({
      datasource: sqlite,
      refId,
      queryType,
      rawQueryText: sql,
      queryText: sql,
      timeColumns: ['time'],
      _implementsDataqueryVariant: () => undefined,
    }),
  };
}
