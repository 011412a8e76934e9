import { type DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import * as browser from './browser-panels.ts';
import { dashboardIds, frame, oomKillAnnotations } from './frame.ts';
import * as headline from './headline-panels.ts';
import * as machine from './machine-panels.ts';
import * as memory from './memory-panels.ts';
import { sessionVariables } from './variables.ts';

/** One session: how close it is to its limit, and what holds the memory. */
export function sessionOverview(): DashboardBuilder {
  return frame({
    title: 'Headroom: session overview',
    description: 'One browser session: how close it is to its limit, and what holds the memory.',
    uid: dashboardIds.session,
    from: 'now-1h',
    refresh: '30s',
  })
    .variables(sessionVariables())
    .annotations(oomKillAnnotations())
    .withPanel(headline.lowestHeadroom())
    .withPanel(headline.available())
    .withPanel(headline.percentile95())
    .withPanel(headline.limit())
    .withPanel(headline.browserKills())
    .withPanel(headline.processes())
    .withRow(new RowBuilder('Memory of the session'))
    .withPanel(memory.againstLimit(12))
    .withPanel(memory.minutePercentiles(12))
    .withRow(new RowBuilder('Browser'))
    .withPanel(browser.pssByRole(12))
    .withPanel(browser.largestProcess(12))
    .withPanel(browser.processCounts(8))
    .withPanel(browser.cpuByRole(8))
    .withPanel(browser.rolePercentiles(8))
    .withRow(new RowBuilder('Machine and recorder'))
    .withPanel(machine.stalls(8))
    .withPanel(machine.paging(8))
    .withPanel(machine.machineCpu(8))
    .withPanel(machine.machineMemory(8))
    .withPanel(machine.recorderCost(8))
    .withPanel(machine.delivery(8));
}
