import { type DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import * as browser from './browser-panels.ts';
import { dashboardIds, frame, oomKillAnnotations } from './frame.ts';
import * as headline from './headline-panels.ts';
import * as machine from './machine-panels.ts';
import * as memory from './memory-panels.ts';
import { sessionVariables } from './variables.ts';

/** How one session came to its end. */
export function postMortem(): DashboardBuilder {
  return frame({
    title: 'Headroom: post-mortem',
    description:
      'How one session came to its end. Narrow the time range to the minutes before it: every figure is of the time range.',
    uid: dashboardIds.postMortem,
    from: 'now-1h',
  })
    .variables(sessionVariables())
    .annotations(oomKillAnnotations())
    .withPanel(headline.browserKills())
    .withPanel(headline.kernelKills())
    .withPanel(headline.lowestHeadroom())
    .withPanel(headline.peak())
    .withPanel(headline.limitHits())
    .withPanel(headline.lastSample())
    .withRow(new RowBuilder('What happened to memory'))
    .withPanel(memory.againstLimit(14))
    .withPanel(browser.roleChanges(10))
    .withRow(new RowBuilder('Who took it'))
    .withPanel(browser.largestProcess(8))
    .withPanel(browser.growthByRole(8))
    .withPanel(memory.growthPanel(8))
    .withRow(new RowBuilder('What it did to the machine'))
    .withPanel(machine.stalls(8))
    .withPanel(machine.paging(8))
    .withPanel(machine.swap(8))
    .withRow(new RowBuilder('Who died, and was the recorder there'))
    .withPanel(browser.processCounts(8))
    .withPanel(machine.cgroupMemory(8))
    .withPanel(machine.recorderCost(8));
}
