import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { labelOf, nameOf } from '../../dashboards/promql.ts';
import { metricCatalog } from '../../src/exporter/metric-catalog.ts';
import { identityAttributes } from '../../src/exporter/metric-definition.ts';
import { type Dashboard, type Panel, readDashboard } from '../support/grafana-dashboard.ts';
import { sections } from '../support/markdown.ts';

// The rules of Grafana's dashboard-linter that make sense here. Not its rules for `job` and
// `instance`: neither is the same on every backend.

const metrics = new Map(
  metricCatalog.map((entry) => [
    entry.instrument === 'histogram' ? `${nameOf(entry.name)}_bucket` : nameOf(entry.name),
    entry,
  ]),
);
const labels = new Set([
  'le',
  ...[...identityAttributes, ...metricCatalog.flatMap(({ attributes }) => attributes)].map(labelOf),
]);

describe.each(['session-overview', 'fleet-sizing', 'post-mortem', 'session-file'])('%s', (name) => {
  const dashboard = readDashboard(name);
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  test('is one of a family: tag, links that keep time and variables, not to be edited', () => {
    expect(dashboard.tags).toEqual(['headroom']);
    expect(dashboard.uid).toMatch(/^headroom-/);
    expect(dashboard.editable).toBe(false);
    expect(dashboard.links).toEqual([
      expect.objectContaining({
        type: 'dashboards',
        tags: ['headroom'],
        keepTime: true,
        includeVars: true,
      }),
    ]);
  });

  test('panels have a title, a description, a unit, queries and a number of their own', () => {
    expect(panels.length).toBeGreaterThan(10);
    for (const panel of panels) {
      expect(panel.title).not.toBe('');
      expect(panel.description ?? '').toMatch(/^.{15,}\.$/s);
      expect(panel.fieldConfig?.defaults.unit ?? '').not.toBe('');
      expect(panel.targets?.length ?? 0).toBeGreaterThan(0);
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  test('everything asks the data source of the variable', () => {
    const [variable] = dashboard.templating.list;
    expect(variable?.type).toBe('datasource');
    const uid = `\${${variable?.name}}`;
    const type = variable?.query;
    const asked = [
      ...panels.flatMap((panel) => [panel.datasource, ...(panel.targets ?? []).map(sourceOf)]),
      ...(dashboard.annotations.list ?? []).map(sourceOf),
      ...dashboard.templating.list.filter((one) => one.type === 'query').map(sourceOf),
    ];
    for (const source of asked) expect(source).toEqual({ type, uid });
  });

  test('variables follow the time range, and all of them is anything but nothing', () => {
    for (const variable of dashboard.templating.list) {
      expect(variable.label ?? variable.name).not.toBe('');
      if (variable.type === 'query') expect(variable.refresh).toBe(2);
      if (variable.includeAll) expect(variable.allValue).toBe('.+');
    }
  });

  test('panels lie side by side without holes or overlaps', () => {
    expect(holesOf(dashboard)).toEqual([]);
  });
});

describe.each(['session-overview', 'fleet-sizing', 'post-mortem'])('%s', (name) => {
  const dashboard = readDashboard(name);
  const ofPanels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr = '' }): [string, string] => [title, expr]),
  );
  const ofAnnotations = (dashboard.annotations.list ?? []).map((one): [string, string] => [
    one.name,
    one.expr ?? '',
  ]);

  test.each([...ofPanels, ...ofAnnotations])('%s: %s', (_, expr) => {
    const used = [...expr.matchAll(/(\w+)\{([^}]*)\}/g)];
    expect(used.length).toBeGreaterThan(0);
    for (const [, metric = '', matchers = ''] of used) {
      expect([...metrics.keys()]).toContain(metric);
      expect(matchers).toMatch(
        name === 'fleet-sizing'
          ? /headroom_provider=~"\$provider", headroom_tier=~"\$tier"/
          : /session_id="\$session"/,
      );
      for (const [, label = ''] of matchers.matchAll(/(\w+)[!=~]+"/g)) {
        expect([...labels]).toContain(label);
      }
    }
    for (const [, list = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
      for (const label of list.split(', ')) expect([...labels]).toContain(label);
    }
    // Grafana knows how far apart samples are; a fixed window does not.
    for (const [, window] of expr.matchAll(/\b(?:rate|increase)\([^[]*\[([^\]]*)\]/g)) {
      expect(window).toBe('$__rate_interval');
    }
  });

  test('a counter is made into a rate, a difference, or its highest: all count from 0', () => {
    for (const [, expr] of [...ofPanels, ...ofAnnotations]) {
      for (const [, before = '', metric = ''] of expr.matchAll(/([\w ]*\()?(\w+)\{/g)) {
        if (metrics.get(metric)?.instrument !== 'counter') continue;
        const isDifference = expr.includes('offset $__interval');
        expect(isDifference || /\b(rate|max_over_time)\($/.test(before)).toBe(true);
      }
    }
  });
});

test('the dashboard of a file asks tables, views and columns that docs/schema.md describes', () => {
  const schema = readFileSync(new URL('../../docs/schema.md', import.meta.url), 'utf8');
  const described = new Set(
    [...sections(schema).keys()].map((name) => name.replace(' (view)', '')),
  );
  const dashboard = readDashboard('session-file');
  const sqls = dashboard.panels.flatMap(({ targets = [] }) =>
    targets.map(({ rawQueryText = '' }) => rawQueryText),
  );
  for (const sql of sqls) {
    const own = [...sql.matchAll(/\b(\w+) AS MATERIALIZED/g)].map(([, name]) => name);
    const asked = [...sql.matchAll(/\b(?:FROM|JOIN) (\w+)/g)].map(([, name]) => name ?? '');
    expect(asked.filter((name) => !described.has(name) && !own.includes(name))).toEqual([]);
  }
});

function sourceOf(one: { datasource?: unknown }): unknown {
  return one.datasource;
}

/** Cells of the grid that no panel or two panels cover, as `x,y`. */
function holesOf({ panels }: Dashboard): string[] {
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const covered = new Map<string, number>();
  for (const { gridPos } of panels) {
    for (const cell of cellsOf(gridPos)) covered.set(cell, (covered.get(cell) ?? 0) + 1);
  }
  return cellsOf({ x: 0, y: 0, w: 24, h: height }).filter((cell) => covered.get(cell) !== 1);
}

function cellsOf({ x, y, w, h }: Panel['gridPos']): string[] {
  return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
}
