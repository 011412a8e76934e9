import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { tablePanel } from './panels.ts';
import { sqlite as datasource, sqlRows } from './sqlite.ts';

export function events(span: number): TableBuilder {
  return tablePanel({
    title: 'Events',
    description:
      'OOM kills, then what else happened, newest first: ends of processes, gaps, changes of the limit, notes.',
    unit: units.NoUnit,
    datasource,
    targets: [
      sqlRows(`SELECT time_unix_ms / 1000.0 AS time, kind,
  CASE kind
    WHEN 'oom_kill' THEN ${oomKillText}
    WHEN 'process_exit' THEN printf('%s, pid %d: %s',
      json_extract(detail, '$.role'), json_extract(detail, '$.pid'),
      coalesce(json_extract(detail, '$.signal'), 'exit code ' || json_extract(detail, '$.exitCode'),
        'gone, nobody told how'))
    WHEN 'gap' THEN printf('%s of %.1f s', json_extract(detail, '$.gap'),
      (json_extract(detail, '$.toUnixMs') - json_extract(detail, '$.fromUnixMs')) / 1000.0)
    WHEN 'limit_change' THEN printf('from %d to %d MiB',
      json_extract(detail, '$.fromBytes') / 1048576, json_extract(detail, '$.toBytes') / 1048576)
    WHEN 'oom_counter' THEN printf('%s: %d kills', json_extract(detail, '$.counter'),
      json_extract(detail, '$.count'))
    ELSE json_extract(detail, '$.message')
  END AS what
FROM event
WHERE time_unix_ms BETWEEN $__from AND $__to
ORDER BY kind = 'oom_kill' DESC, time_unix_ms DESC LIMIT 500`),
    ],
    span,
  });
}

/** In words; also the text of the annotations. */
export const oomKillText = `printf('%s, pid %d, with %s MiB', json_extract(detail, '$.comm'),
      json_extract(detail, '$.pid'), coalesce(json_extract(detail, '$.rssBytes') / 1048576, 'unknown'))`;

export function processes(span: number): TableBuilder {
  return tablePanel({
    title: 'Biggest processes of the browser',
    description:
      'Of the whole recording. Peaks are exact when the process or the recording has ended, before that up to a minute old.',
    unit: units.NoUnit,
    datasource,
    targets: [
      sqlRows(`SELECT process.pid, process.role, peak_pss_bytes AS "PSS at most",
  peak_rss_bytes AS "RSS at most", (last_cpu_ms - first_cpu_ms) / 1000.0 AS "CPU",
  coalesce(signal, 'exit code ' || exit_code,
    CASE WHEN ended_unix_ms IS NULL THEN 'alive' ELSE 'gone' END) AS "end",
  command
FROM process JOIN process_detail USING (process)
WHERE process.browser_pid IS NOT NULL
ORDER BY peak_rss_bytes DESC LIMIT 50`),
    ],
    overrides: {
      'PSS at most': [{ id: 'unit', value: units.BytesIEC }],
      'RSS at most': [{ id: 'unit', value: units.BytesIEC }],
      CPU: [{ id: 'unit', value: units.Seconds }],
    },
    span,
  });
}
