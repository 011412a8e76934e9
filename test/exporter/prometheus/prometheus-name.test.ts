import { expect, test } from 'vitest';
import { metricCatalog } from '../../../src/exporter/metric-catalog.ts';
import {
  prometheusLabels,
  prometheusName,
} from '../../../src/exporter/prometheus/prometheus-name.ts';

// As they were seen in a Prometheus 3.5.3 that took OTLP through its own translator.
test.each([
  ['system.memory.usage', 'updowncounter', 'By', 'system_memory_usage_bytes'],
  ['system.memory.utilization', 'gauge', '1', 'system_memory_utilization_ratio'],
  ['process.cpu.time', 'counter', 's', 'process_cpu_time_seconds_total'],
  ['headroom.oom.kills', 'counter', '{kill}', 'headroom_oom_kills_total'],
  ['system.uptime', 'gauge', 's', 'system_uptime_seconds'],
  ['headroom.browser.processes', 'updowncounter', '{process}', 'headroom_browser_processes'],
  ['system.paging.faults', 'counter', '{fault}', 'system_paging_faults_total'],
] as const)('%s, a %s in %s, is %s', (name, instrument, unit, expected) => {
  const kind = { instrument, unit, valueType: 'int', help: '', stability: 'own' } as const;
  expect(prometheusName({ name, ...kind }).name).toBe(expected);
});

test('the catalogue has a valid name for each metric, and none twice', () => {
  const names = metricCatalog.map((metric) => prometheusName(metric).name);
  expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('a unit that nobody thought of is an error, and no wrong name', () => {
  const kind = { instrument: 'gauge', valueType: 'int', help: '', stability: 'own' } as const;
  expect(() => prometheusName({ name: 'a.b', unit: 'ms', ...kind })).toThrow(RangeError);
});

test('labels: what is not allowed becomes an underscore, of two that fall together both are kept', () => {
  const labels = prometheusLabels({
    'session.id': 'a',
    'headroom.label.task-id': '1',
    'headroom.label.task.id': '2',
    'headroom.label.größe': 'x',
  });
  expect(Object.fromEntries(labels)).toEqual({
    session_id: 'a',
    headroom_label_task_id: '1;2',
    headroom_label_gr__e: 'x',
  });
});
