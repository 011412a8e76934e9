import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MetricDefinition } from '../../../src/exporter/metric-definition.ts';
import { acceptedFormat, exposition } from '../../../src/exporter/prometheus/exposition.ts';

const kills: MetricDefinition = {
  name: 'headroom.oom.kills',
  instrument: 'counter',
  unit: '{kill}',
  valueType: 'int',
  stability: 'own',
  help: 'Says "no" \\ ever.',
};
const limit: MetricDefinition = {
  ...kills,
  name: 'headroom.memory.limit',
  instrument: 'updowncounter',
  unit: 'By',
  help: 'The limit.',
};
const stall: MetricDefinition = { ...kills, name: 'headroom.stall.time', unit: 's', help: 'T.' };
const families = [
  {
    metric: kills,
    samples: [
      { attributes: { 'session.id': 'a', 'headroom.oom.scope': 'machine' }, value: 0 },
      { attributes: { 'session.id': 'b"\\\n', empty: '' }, value: 3 },
    ],
  },
  { metric: limit, samples: [{ attributes: {}, value: 2 ** 53 }] },
  { metric: stall, samples: [{ attributes: {}, value: 1.25 }] },
  { metric: { ...limit, name: 'not.told' }, samples: [] },
];

// github.com/prometheus/docs, "Exposition formats"
test('text format', () => {
  expect(exposition(families, 'text')).toBe(
    String.raw`# HELP headroom_oom_kills_total Says "no" \\ ever.
# TYPE headroom_oom_kills_total counter
headroom_oom_kills_total{headroom_oom_scope="machine",session_id="a"} 0
headroom_oom_kills_total{session_id="b\"\\\n"} 3
# HELP headroom_memory_limit_bytes The limit.
# TYPE headroom_memory_limit_bytes gauge
headroom_memory_limit_bytes 9007199254740992
# HELP headroom_stall_time_seconds_total T.
# TYPE headroom_stall_time_seconds_total counter
headroom_stall_time_seconds_total 1.25
`,
  );
});

// github.com/prometheus/OpenMetrics, "OpenMetrics 1.0"
test('OpenMetrics', () => {
  expect(exposition(families, 'openmetrics')).toBe(
    String.raw`# TYPE headroom_oom_kills counter
# HELP headroom_oom_kills Says \"no\" \\ ever.
headroom_oom_kills_total{headroom_oom_scope="machine",session_id="a"} 0
headroom_oom_kills_total{session_id="b\"\\\n"} 3
# TYPE headroom_memory_limit_bytes gauge
# UNIT headroom_memory_limit_bytes bytes
# HELP headroom_memory_limit_bytes The limit.
headroom_memory_limit_bytes 9007199254740992
# TYPE headroom_stall_time_seconds counter
# UNIT headroom_stall_time_seconds seconds
# HELP headroom_stall_time_seconds T.
headroom_stall_time_seconds_total 1.25
# EOF
`,
  );
});

test('a histogram has its buckets added up, in the canonical form of each format', () => {
  const ratio: MetricDefinition = { ...limit, name: 'a.b', unit: '1', instrument: 'histogram' };
  const value = {
    kind: 'explicit',
    bounds: [0.5, 1],
    counts: [1000, 250, 3],
    count: 1253,
    sum: 700.5,
    min: 0.1,
    max: 1.1,
  } as const;
  const family = { metric: ratio, samples: [{ attributes: { 'session.id': 'a' }, value }] };
  expect(exposition([family], 'text')).toBe(`# HELP a_b The limit.
# TYPE a_b histogram
a_b_bucket{le="0.5",session_id="a"} 1000
a_b_bucket{le="1",session_id="a"} 1250
a_b_bucket{le="+Inf",session_id="a"} 1253
a_b_sum{session_id="a"} 700.5
a_b_count{session_id="a"} 1253
`);
  expect(exposition([family], 'openmetrics')).toContain('le="1.0"');
});

test('no label can break out of its line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const samples = [{ attributes: { label: value, z: 'end' }, value: 1 }];
      const lines = exposition([{ metric: limit, samples }], 'text').split('\n');
      expect(lines).toHaveLength(4);
      expect(lines[2]).toMatch(
        /^headroom_memory_limit_bytes\{(label="([^"\\]|\\.)*",)?z="end"\} 1$/s,
      );
    }),
  );
});

describe('content negotiation', () => {
  test.each([
    // Prometheus 2.53 and 3.5, as they send it.
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'openmetrics',
    ],
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'openmetrics',
    ],
    // VictoriaMetrics, curl, a browser, and one that says nothing.
    ['text/plain;version=0.0.4;q=1,*/*;q=0.1', 'text'],
    ['*/*', 'text'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text'],
    [undefined, 'text'],
    ['', 'text'],
    ['application/openmetrics-text', 'openmetrics'],
    ['application/openmetrics-text;version=0.0.1', 'text'],
    ['text/plain, application/openmetrics-text;q=0.9', 'text'],
    ['application/openmetrics-text;q=0', 'text'],
    [';;;,q=,=,text/plain;q=x', 'text'],
  ])('%s', (accept, format) => {
    expect(acceptedFormat(accept)).toBe(format);
  });
});
