import { readFileSync, writeFileSync } from 'node:fs';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { describe, expect, test } from 'vitest';
import { eventCatalog, recordIdAttribute } from '../../src/exporter/event-catalog.ts';
import { metricCatalog } from '../../src/exporter/metric-catalog.ts';
import { identityAttributes } from '../../src/exporter/metric-definition.ts';
import { eventTable, metricTable } from '../../src/exporter/metric-table.ts';
import { processMetrics } from '../../src/exporter/process-metrics.ts';
import { processRoles } from '../../src/model/process-role.ts';

// Names of semantic conventions, from OpenTelemetry's own package (1.45).
const conventionalNames = new Set<unknown>(Object.values(conventions));

describe.each(metricCatalog)('$name', (metric) => {
  test('is named as OpenTelemetry asks, and so that every backend makes the same of it', () => {
    expect(metric.name).toMatch(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/);
    const words = metric.name.split(/[._]/);
    const added = ['total', 'bytes', 'seconds', 'ratio', 'percent', 'count', 'bucket', 'quantile'];
    expect(words.filter((word) => added.includes(word))).toEqual([]);
  });

  test('has a name of the conventions, or one of ours that they do not have', () => {
    const isOurs = metric.stability === 'own';
    expect(metric.name.startsWith('headroom.')).toBe(isOurs);
    expect(conventionalNames.has(metric.name)).toBe(!isOurs);
  });

  test('has attributes of the conventions, or of ours', () => {
    const unknown = metric.attributes.filter(
      (name) => !name.startsWith('headroom.') && !conventionalNames.has(name),
    );
    expect(unknown).toEqual([]);
  });

  test('has a UCUM unit that fits its kind', () => {
    expect(metric.unit).toMatch(/^(By|s|1|\{[a-z]+\})$/);
    if (metric.unit === '1') expect(metric.instrument).toMatch(/^gauge$|histogram$/);
    if (metric.unit === 's' || metric.unit === '1') expect(metric.valueType).toBe('double');
  });

  test('is explained in one line that fits a Markdown table', () => {
    expect(metric.help).toMatch(/^[A-Z][^|\n]{10,160}\.$/);
  });
});

test('every name is there once, also when dots and underscores are one', () => {
  const names = metricCatalog.map(({ name }) => name.replaceAll('.', '_'));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('no metric is deprecated in the conventions', () => {
  const deprecated = [
    'system.memory.shared',
    'system.linux.memory.available',
    'process.open_file_descriptor.count',
    'container.memory.paging.faults',
  ];
  expect(metricCatalog.filter(({ name }) => deprecated.includes(name))).toEqual([]);
});

describe.each([...eventCatalog])('the event $name', ({ name, stability, attributes, help }) => {
  test('has a name of the conventions, or one of ours that they do not have', () => {
    expect(name.startsWith('headroom.')).toBe(stability === 'own');
    expect(conventionalNames.has(name)).toBe(stability !== 'own');
  });

  test('has attributes of the conventions, or of ours, and is explained in one line', () => {
    const all: string[] = [...attributes, recordIdAttribute];
    const unknown = all.filter(
      (one) => !one.startsWith('headroom.') && !conventionalNames.has(one),
    );
    expect(unknown).toEqual([]);
    expect(help).toMatch(/^[A-Z][^|\n]{10,160}\.$/);
  });
});

test('series are bounded: no attribute names a process unless asked for, and there are ten roles', () => {
  const onRequest = new Set(processMetrics.map(({ name }) => name));
  const attributes = new Set([
    ...identityAttributes,
    ...metricCatalog
      .filter(({ name }) => !onRequest.has(name))
      .flatMap((metric) => metric.attributes),
  ]);
  expect([...attributes].filter((name) => /pid|comm|executable|command/.test(name))).toEqual([]);
  expect(processRoles.length).toBeLessThanOrEqual(10);
});

// To write the table anew: UPDATE_DOCS=1 npx vitest run --project unit test/exporter/metric-catalog.test.ts
test.each([
  ['catalogue', metricTable()],
  ['events', eventTable()],
])('docs/metrics.md has the table of the %s', (section, table) => {
  const page = new URL('../../docs/metrics.md', import.meta.url);
  const markers = new RegExp(
    `(<!-- ${section} -->\\n)[\\s\\S]*?(\\n<!-- end of the ${section} -->)`,
  );
  const committed = readFileSync(page, 'utf8');
  const generated = committed.replace(
    markers,
    (_, begin: string, end: string) => `${begin}\n${table}${end}`,
  );
  expect(committed).toMatch(markers);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, generated);
  else expect(committed).toBe(generated);
});
