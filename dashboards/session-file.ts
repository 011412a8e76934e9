import {
  AnnotationQueryBuilder,
  type DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableHide,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as panels from './file-panels.ts';
import * as tables from './file-tables.ts';
import { dashboardIds, frame } from './frame.ts';
import { sqlite, sqlQuery } from './sqlite.ts';

/** The session overview straight out of a recording, without Prometheus. */
export function sessionFile(): DashboardBuilder {
  return frame({
    title: 'Headroom: session from a file',
    description:
      'One recording, read from its file by the plugin frser-sqlite-datasource. Click the session in the first table to see all of its time.',
    uid: dashboardIds.file,
    from: 'now-6h',
  })
    .variables([
      new DatasourceVariableBuilder('sqlite')
        .label('Recording')
        .description('A data source of the plugin frser-sqlite-datasource, for each recording one.')
        .type(sqlite.type),
      // Not chosen, but handed on by the links to the other dashboards.
      new QueryVariableBuilder('session')
        .hide(VariableHide.HideVariable)
        .datasource(sqlite)
        .query('SELECT id FROM session')
        .definition('SELECT id FROM session')
        .refresh(VariableRefresh.OnTimeRangeChanged),
    ])
    .annotations([oomKills()])
    .withPanel(panels.recording(24))
    .withPanel(panels.lowestHeadroom(8))
    .withPanel(panels.highestWorkingSet(8))
    .withPanel(panels.kills(8))
    .withRow(new RowBuilder('Memory of the session'))
    .withPanel(panels.againstLimit(12))
    .withPanel(panels.minutePercentiles(12))
    .withRow(new RowBuilder('Browser'))
    .withPanel(panels.pssByRole(8))
    .withPanel(panels.biggestProcesses(8))
    .withPanel(panels.processCounts(8))
    .withPanel(tables.processes(24))
    .withRow(new RowBuilder('What happened'))
    .withPanel(tables.events(24))
    .withRow(new RowBuilder('Machine'))
    .withPanel(panels.stalls(12))
    .withPanel(panels.processor(12));
}

function oomKills(): AnnotationQueryBuilder {
  const sql = `SELECT time_unix_ms / 1000.0 AS time, 'OOM kill' AS title, ${tables.oomKillText} AS text
FROM event
WHERE kind = 'oom_kill' AND NOT json_extract(detail, '$.beforeStart')
  AND time_unix_ms BETWEEN $__from AND $__to
ORDER BY time_unix_ms`;
  return new AnnotationQueryBuilder()
    .name('OOM kills')
    .datasource(sqlite)
    .enable(true)
    .iconColor('red')
    .target(sqlQuery({ refId: 'Anno', sql, queryType: 'table' }));
}
