import { type DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import * as headline from './fleet-headline.ts';
import * as panels from './fleet-panels.ts';
import { dashboardIds, frame } from './frame.ts';
import { fleetVariables } from './variables.ts';

/** Many sessions: which tier is too small, which is too large, and which session to look at. */
export function fleetSizing(): DashboardBuilder {
  return frame({
    title: 'Headroom: fleet sizing',
    description:
      'Many sessions: which tier is too small, which is larger than it need be, and which session to look at.',
    uid: dashboardIds.fleet,
    from: 'now-24h',
  })
    .variables(fleetVariables())
    .withPanel(headline.sessions())
    .withPanel(headline.killedSessions())
    .withPanel(headline.killedShare())
    .withPanel(headline.fullness())
    .withPanel(headline.fitting())
    .withPanel(headline.largest())
    .withRow(new RowBuilder('What they need'))
    .withPanel(panels.tiers(14))
    .withPanel(panels.needsOfSessions(10))
    .withRow(new RowBuilder('Over time'))
    .withPanel(panels.utilizationOverTime(8))
    .withPanel(panels.timeAtUtilization(8))
    .withPanel(panels.runningSessions(8))
    .withPanel(panels.killsOverTime(12))
    .withPanel(panels.stalledOverTime(12))
    .withRow(new RowBuilder('Where to look'))
    .withPanel(panels.fullestSessions(24));
}
