import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { renderJson } from '../../src/report/json.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { goldenRecording } from '../support/golden-recording.ts';

// The figures in it are checked by hand in test/analysis/session-report.test.ts.
test('the JSON is that of the golden file, byte for byte', async () => {
  const text = renderJson(analyse(goldenRecording()));
  await expect(text).toMatchFileSnapshot('../golden/report.json');
});

// The contract of `report --format json`, schemaVersion 1: fields are added, never renamed.
test('every field of the contract is there', () => {
  const report: unknown = JSON.parse(renderJson(analyse(goldenRecording())));
  const percentiles = Object.fromEntries(
    ['p50', 'p90', 'p95', 'p99', 'max'].map((name) => [name, expect.any(Number)]),
  );
  const shortPercentiles = Object.fromEntries(
    ['p50', 'p95', 'p99', 'max'].map((name) => [name, expect.any(Number)]),
  );
  expect(report).toMatchObject({
    schemaVersion: 1,
    session: {
      id: expect.any(String),
      source: 'local',
      labels: { suite: 'golden' },
      startedUnixMs: expect.any(Number),
      endedUnixMs: expect.any(Number),
      endReason: 'duration',
      machine: {
        bootId: expect.any(String),
        kernel: '6.18.44',
        cpuCount: 2,
        memoryTotalBytes: expect.any(Number),
        limitBytes: expect.any(Number),
        limitSource: 'cgroup_v2',
        browserVersion: expect.any(String),
      },
    },
    coverage: {
      samples: 101,
      intervalMs: 1000,
      missedTicks: 1,
      gaps: [{ fromUnixMs: expect.any(Number), toUnixMs: expect.any(Number), kind: 'standby' }],
    },
    memory: {
      workingSetBytes: percentiles,
      availableBytes: {
        min: expect.any(Number),
        p1: expect.any(Number),
        p50: expect.any(Number),
      },
      peakBytes: { value: expect.any(Number), source: 'memory.peak' },
      headroomMinBytes: expect.any(Number),
      headroomMinRatio: expect.any(Number),
    },
    browser: {
      processesMax: 2,
      unreclaimableBytes: shortPercentiles,
      pssBytes: shortPercentiles,
      rssSumBytes: shortPercentiles,
    },
    roles: [
      {
        role: 'browser',
        processesMax: 1,
        pssBytes: shortPercentiles,
        rssBytes: shortPercentiles,
        cpuSeconds: 20,
      },
      { role: 'renderer' },
    ],
    processes: [
      {
        pid: 110,
        startTicks: 1100,
        role: 'renderer',
        firstUnixMs: expect.any(Number),
        lastUnixMs: expect.any(Number),
        peakRssBytes: expect.any(Number),
        peakPssBytes: expect.any(Number),
        cpuSeconds: 9.9,
        growthBytesPerMinute: null,
        exit: expect.anything(),
        command: '/usr/lib/chromium/chromium --type=renderer --lang=en-US',
        oomScoreAdj: 300,
      },
      { pid: 100, exit: null },
      { pid: 50, peakPssBytes: null, command: null, oomScoreAdj: null },
    ],
    oomKills: [
      {
        timeUnixMs: expect.any(Number),
        pid: 110,
        comm: 'chromium',
        role: 'renderer',
        rssBytes: expect.any(Number),
        scope: 'cgroup',
        cgroup: '/session',
        evidence: ['kmsg:1234'],
      },
    ],
    deaths: [
      {
        timeUnixMs: expect.any(Number),
        pid: 110,
        role: 'renderer',
        verdict: 'kernel_oom',
        certainty: 'recorded',
        evidence: ['kmsg:1234'],
      },
    ],
    verdict: {
      kind: 'kernel_oom',
      summary: expect.any(String),
      evidence: expect.any(Array),
      advice: expect.any(Array),
    },
  });
});

test('unknown is null', () => {
  const text = renderJson(analyse(fakeRecording({ samples: [fakeSample({ second: 0 })] })));
  expect(JSON.parse(text)).toMatchObject({
    memory: { workingSetBytes: { p99: null }, peakBytes: { value: null }, headroomMinRatio: null },
    pressure: { memoryFullRatioMax: null },
    browser: { processesMax: 0, pssBytes: { max: null } },
  });
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
});

test('no control character is left for a terminal, and the text is still the same JSON', () => {
  const label = 'a\u001b[31m\u0007\u007f\u009b2J\u2028é';
  const facts = { labels: { label } };
  const text = renderJson(analyse(fakeRecording({ samples: [], facts })));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
  expect(JSON.parse(text)).toMatchObject({ session: { labels: { label } } });
});
