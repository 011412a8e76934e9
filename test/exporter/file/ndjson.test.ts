import { expect, test } from 'vitest';
import { ndjsonLines } from '../../../src/exporter/file/ndjson.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import {
  fakeFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';

const recording = fakeRecording({
  samples: [0, 1].map((second) =>
    fakeSample({
      second,
      processes: [fakeProcess({ pid: 110, role: 'renderer', rssBytes: (50 + second) * mib })],
    }),
  ),
  events: [fakeOomKill({ pid: 110, comm: 'chromium', timeUnixMs: startUnixMs + 1000 })],
});

test('every line is one object with its type', () => {
  const rows = [...ndjsonLines(recording)].map((line) => JSON.parse(line));
  expect(rows.map(({ type }) => type)).toEqual([
    'session',
    'process',
    'event',
    'tick',
    'tick',
    'process_sample',
    'process_sample',
  ]);
});

test('names and values are those of the model, and unknown is null', () => {
  const rows = [...ndjsonLines(recording)].map((line) => JSON.parse(line));
  const [session, process, event, tick, , sample] = rows;
  expect(session).toEqual({ type: 'session', sessionId: fakeFacts().id, ...fakeFacts() });
  expect(rows.map(({ sessionId }) => sessionId)).toEqual(rows.map(() => fakeFacts().id));
  expect(process).toMatchObject({ process: 1, pid: 110, role: 'renderer', peakPssBytes: null });
  expect(event).toMatchObject({ kind: 'oom_kill', comm: 'chromium', kmsgSequence: 1200 });
  expect(tick).toMatchObject({
    sequence: 1,
    timeUnixMs: startUnixMs,
    machine: { totalBytes: 1024 * mib, availableBytes: null },
    cgroup: null,
  });
  expect(tick).not.toHaveProperty('processes');
  expect(sample).toMatchObject({ process: 1, timeUnixMs: startUnixMs, rssBytes: 50 * mib });
});

test('a range cuts what has a time', () => {
  const range = { fromUnixMs: startUnixMs + 1000 };
  const rows = [...ndjsonLines(recording, range)].map((line) => JSON.parse(line));
  expect(rows.map(({ type }) => type)).toEqual([
    'session',
    'process',
    'event',
    'tick',
    'process_sample',
  ]);
});

test.each([
  ['a line feed', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['what Unicode ends a line with', 'a\u2028b\u2029c\u0085d'],
  ['what Python ends a line with', 'a\u000bb\u000cc\u001cd\u001de\u001ef'],
  ['half of a surrogate pair', 'a\ud83d b'],
  ['a quote and a backslash', 'a"\\b'],
])('%s in a name stays within its line, and the text is UTF-8', (_, comm) => {
  const named = fakeRecording({
    samples: [fakeSample({ second: 0, processes: [fakeProcess({ pid: 1, role: 'other', comm })] })],
  });
  const lines = [...ndjsonLines(named)];
  for (const line of lines) {
    expect(line.endsWith('\n')).toBe(true);
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(Buffer.from(line).toString()).toBe(line);
  }
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ type: 'process', comm });
});

test('rows are read as they are asked for', () => {
  let read = 0;
  const endless = {
    ...recording,
    *ticks() {
      for (;;) {
        read++;
        yield* recording.ticks();
      }
    },
  };
  const lines = ndjsonLines(endless);
  for (let line = 0; line < 10; line++) lines.next();
  expect(read).toBeLessThan(6);
});
