import type { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { memoryColors, roleColors } from './colors.ts';
import { dashboardIds } from './frame.ts';
import { lowestHeadroomPanel } from './lowest-headroom.ts';
import { linesPanel, noneIsGood, statPanel, tablePanel, wideEnoughForId } from './panels.ts';
import {
  counterRates,
  sqlite as datasource,
  inRange,
  rolesOverTime,
  sqlLines,
  sqlRows,
  stepOf,
} from './sqlite.ts';

/** Not of the time range: what brings the reader to it. */
export function recording(span: number): TableBuilder {
  return tablePanel({
    title: 'Recording',
    description:
      'What is in the file, whatever the time range is. Click the session to see all of its time.',
    unit: units.NoUnit,
    datasource,
    targets: [
      sqlRows(`SELECT id AS session, started_unix_ms AS first, last,
  coalesce(end_reason, 'not ended') AS "end", limit_bytes AS "limit", limit_source AS "limit of",
  kernel, cpu_count AS "CPUs"
FROM session, (SELECT max(time_unix_ms) AS last FROM tick)`),
    ],
    overrides: {
      session: [...wideEnoughForId, { id: 'links', value: [wholeRecording] }],
      first: [{ id: 'unit', value: units.DatetimeISO }],
      last: [{ id: 'unit', value: units.DatetimeISO }],
      limit: [{ id: 'unit', value: units.BytesIEC }],
    },
    height: 4,
    span,
  });
}

const wholeRecording = {
  title: 'Show all of the recording',
  url: `/d/${dashboardIds.file}?var-sqlite=\${sqlite}&from=\${__data.fields.first.numeric}&to=\${__data.fields.last.numeric}`,
};

export function lowestHeadroom(span: number): StatBuilder {
  return lowestHeadroomPanel({
    datasource,
    targets: [
      sqlRows(
        `SELECT min(1.0 * available_bytes / limit_bytes) AS lowest FROM session_sample WHERE ${inRange}`,
      ),
    ],
    span,
  });
}

export function highestWorkingSet(span: number): StatBuilder {
  return statPanel({
    title: 'Working set at most',
    description: 'Of the samples in the time range.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      sqlRows(`SELECT max(working_set_bytes) AS highest FROM session_sample WHERE ${inRange}`),
    ],
    span,
  });
}

export function kills(span: number): StatBuilder {
  return statPanel({
    title: 'OOM kills',
    description:
      "In the kernel's log in the time range, whoever the victim was. The table of events names it.",
    unit: units.NoUnit,
    datasource,
    targets: [
      sqlRows(`SELECT count(*) AS kills FROM event
WHERE kind = 'oom_kill' AND NOT json_extract(detail, '$.beforeStart')
  AND time_unix_ms BETWEEN $__from AND $__to`),
    ],
    steps: noneIsGood,
    span,
  });
}

export function againstLimit(span: number): LinesBuilder {
  return linesPanel({
    title: 'Memory against the limit',
    description:
      "Working set: charged memory less the file pages that the kernel drops first. Unreclaimable is the browser's own footprint. Each point is the highest in its step, of what is available the lowest.",
    unit: units.BytesIEC,
    datasource,
    targets: [
      sqlLines(`SELECT ${stepOf('t')} AS time,
  max(limit_bytes) AS "limit",
  max(working_set_bytes) AS "working set",
  max(browser_unreclaimable_bytes) AS "browser, unreclaimable",
  min(available_bytes) AS "available"
FROM session_sample WHERE ${inRange}
GROUP BY 1 ORDER BY 1`),
    ],
    overrides: memoryColors,
    span,
  });
}

export function minutePercentiles(span: number): LinesBuilder {
  return linesPanel({
    title: 'Working set, percentiles of each minute',
    description:
      'Weighted by time; at the end of each minute. The last minute of a recording is there when it has ended.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      sqlLines(`SELECT t + span_seconds AS time, p50, p95, p99, max FROM percentile
WHERE scope = 'session' AND metric = 'working_set'
  AND t + span_seconds >= $__from / 1000.0 AND t <= $__to / 1000.0
ORDER BY t`),
    ],
    span,
  });
}

export function pssByRole(span: number): LinesBuilder {
  return linesPanel({
    title: 'Memory by role (PSS)',
    description:
      'Shared pages are split between those who share them, so the roles add up. In between two readings estimated; a role is there when each of its processes was read once.',
    unit: units.BytesIEC,
    datasource,
    targets: [sqlLines(rolesOverTime('pss_bytes'))],
    displayName: '${__field.labels.role}',
    overrides: roleColors,
    isStacked: true,
    span,
  });
}

export function processCounts(span: number): LinesBuilder {
  return linesPanel({
    title: 'Processes by role',
    description: 'A step down is a tab that was closed, or a process that died.',
    unit: units.NoUnit,
    datasource,
    targets: [sqlLines(rolesOverTime('process_count'))],
    displayName: '${__field.labels.role}',
    overrides: roleColors,
    isStepped: true,
    span,
  });
}

export function biggestProcesses(span: number): LinesBuilder {
  return linesPanel({
    title: 'Biggest processes (RSS)',
    description:
      'The eight that were the biggest at any time. One leaking tab is one line that climbs.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      sqlLines(`SELECT t AS time, role || ' ' || pid AS process, rss_bytes FROM sample
WHERE ${inRange} AND process IN (
  SELECT process FROM process WHERE browser_pid IS NOT NULL
  ORDER BY peak_rss_bytes DESC LIMIT 8)
ORDER BY t`),
    ],
    displayName: '${__field.labels.process}',
    span,
  });
}

export function stalls(span: number): LinesBuilder {
  return linesPanel({
    title: 'Stalls (PSI)',
    description:
      'The share of time in which some, or all, tasks waited for memory, CPU or storage. No data where the kernel has no pressure stall information.',
    unit: units.PercentUnit,
    datasource,
    targets: [
      sqlLines(
        counterRates({
          pressure_memory_some_ms: 'memory, some',
          pressure_memory_full_ms: 'memory, full',
          pressure_cpu_some_ms: 'cpu, some',
          pressure_io_some_ms: 'io, some',
          pressure_io_full_ms: 'io, full',
        }),
      ),
    ],
    span,
  });
}

export function processor(span: number): LinesBuilder {
  return linesPanel({
    title: 'CPU of the machine',
    description: 'In cores, without idle.',
    unit: units.Short,
    datasource,
    targets: [
      sqlLines(
        counterRates({
          activity_cpu_user_ms: 'user',
          activity_cpu_system_ms: 'system',
          activity_cpu_iowait_ms: 'iowait',
          activity_cpu_steal_ms: 'steal',
        }),
      ),
    ],
    isStacked: true,
    span,
  });
}
