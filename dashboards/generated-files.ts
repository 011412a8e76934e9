import type { DashboardBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { alertGroups } from './alert-rules.ts';
import { fleetSizing } from './fleet-sizing.ts';
import { postMortem } from './post-mortem.ts';
import { recordingGroups } from './recording-rules.ts';
import { alertFile, recordingFile } from './rule-file.ts';
import { sessionFile } from './session-file.ts';
import { sessionOverview } from './session-overview.ts';

/** Every file below `dashboards/generated`, by its path there. */
export function generatedFiles(): Map<string, string> {
  return new Map([
    ['grafana/session-overview.json', jsonOf(sessionOverview())],
    ['grafana/fleet-sizing.json', jsonOf(fleetSizing())],
    ['grafana/post-mortem.json', jsonOf(postMortem())],
    ['grafana/session-file.json', jsonOf(sessionFile())],
    ['prometheus/headroom-alerts.yml', alertFile(alertGroups)],
    ['prometheus/headroom-recording.yml', recordingFile(recordingGroups)],
  ]);
}

/** As Grafana imports it; each panel with a number, which the builder gives to none. */
function jsonOf(builder: DashboardBuilder): string {
  const dashboard = builder.build();
  const panels = (dashboard.panels ?? []).map((panel, at) => ({ ...panel, id: at + 1 }));
  return `${JSON.stringify({ ...dashboard, panels }, null, 2)}\n`;
}
