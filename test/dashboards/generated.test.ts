import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { alertGroups } from '../../dashboards/alert-rules.ts';
import { generatedFiles } from '../../dashboards/generated-files.ts';
import { nameOf, select } from '../../dashboards/promql.ts';
import { recordingGroups } from '../../dashboards/recording-rules.ts';
import { exprOf } from '../../dashboards/rule.ts';
import { metricCatalog } from '../../src/exporter/metric-catalog.ts';
import { sections } from '../support/markdown.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const generated = path.join(root, 'dashboards/generated');

test('what is committed is what `npm run dashboards` makes', () => {
  const committed = readdirSync(generated, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(generated, path.join(entry.parentPath, entry.name)));
  expect(committed.sort()).toEqual([...generatedFiles().keys()].sort());
  for (const [file, text] of generatedFiles()) {
    expect(readFileSync(path.join(generated, file), 'utf8')).toBe(text);
  }
});

test('a metric that is not in the catalogue is not made up', () => {
  // As seen in a real Prometheus (docs/metrics.md names what they are made of).
  expect(select('headroom.memory.limit')).toBe('headroom_memory_limit_bytes{}');
  expect(nameOf('headroom.oom.victims')).toBe('headroom_oom_victims_total');
  expect(nameOf('headroom.memory.utilization')).toBe('headroom_memory_utilization_ratio');
  expect(() => nameOf('headroom.memory.limits')).toThrow(RangeError);
});

const alerts = alertGroups.flatMap(({ rules }) => rules);

test('every alert has its runbook, and every runbook its alert', () => {
  const folder = path.join(root, 'docs/runbooks');
  expect(readdirSync(folder).sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  for (const { alert } of alerts) {
    const page = readFileSync(path.join(folder, `${alert}.md`), 'utf8');
    expect(page).toMatch(new RegExp(`^# ${alert}\n\n.+\n\n\\*\\*What it means\\.\\*\\* `));
    expect([...sections(page).keys()]).toEqual(['Look', 'Do']);
  }
});

test('rules are of metrics in the catalogue, and know of no job or instance', () => {
  const known = new Set(metricCatalog.map(({ name }) => nameOf(name)));
  const recorded = recordingGroups.flatMap(({ rules }) => rules);
  for (const expr of [...alerts.map(exprOf), ...recorded.map((rule) => rule.expr)]) {
    const metrics = [...expr.matchAll(/(\w+)\{/g)].map(([, name]) => name ?? '');
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !known.has(name))).toEqual([]);
    expect(expr).not.toMatch(/\b(job|instance|target_info)\b/);
  }
});
