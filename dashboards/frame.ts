import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { is, role, select, session } from './promql.ts';
import { prometheus } from './targets.ts';

export const headroomTag = 'headroom';

/** What each dashboard is reached by: part of its address in Grafana. */
export const dashboardIds = {
  session: 'headroom-session',
  fleet: 'headroom-fleet',
  postMortem: 'headroom-post-mortem',
  file: 'headroom-session-file',
} as const;

/** A dashboard without panels: links to the others that keep time and variables, a shared cursor. */
export function frame(spec: {
  title: string;
  description: string;
  uid: string;
  from: string;
  refresh?: string;
}): DashboardBuilder {
  return new DashboardBuilder(spec.title)
    .uid(spec.uid)
    .description(spec.description)
    .tags([headroomTag])
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: spec.from, to: 'now' })
    .refresh(spec.refresh ?? '')
    .readonly()
    .link(
      new DashboardLinkBuilder('Headroom')
        .type(DashboardLinkType.Dashboards)
        .tags([headroomTag])
        .tooltip('The other dashboards, with this time range and session')
        .includeVars(true)
        .keepTime(true),
    );
}

/** Marks the moment of each OOM kill of the session on every panel. */
export function oomKillAnnotations(): AnnotationQueryBuilder[] {
  return [
    oomAnnotation({
      name: 'OOM kills of the browser',
      color: 'red',
      by: [session, role],
      counter: select('headroom.oom.victims', ofSession),
      title: `OOM kill: {{${role}}}`,
    }),
    oomAnnotation({
      name: 'OOM kills in the cgroup',
      color: 'orange',
      by: [session],
      counter: select('headroom.oom.kills', ofSession, is('headroom.oom.scope', 'cgroup')),
      title: 'OOM kill in the cgroup of the session',
    }),
  ];
}

const ofSession = is('session.id', '$session');

/**
 * The moment at which a counter moved: `increase` would spread it over its window. The counters
 * begin at 0, so the first kill is seen.
 */
function oomAnnotation(spec: {
  name: string;
  color: string;
  by: readonly string[];
  counter: string;
  title: string;
}): AnnotationQueryBuilder {
  const count = `max by (${spec.by.join(', ')})`;
  return new AnnotationQueryBuilder()
    .name(spec.name)
    .datasource(prometheus)
    .enable(true)
    .iconColor(spec.color)
    .expr(`${count} (${spec.counter}) - ${count} (${spec.counter} offset $__interval) > 0`)
    .step('1s')
    .titleFormat(spec.title)
    .textFormat(`session {{${session}}}`);
}
