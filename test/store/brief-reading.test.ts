import { afterAll, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { writeEventfulRecording } from '../support/eventful-recording.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('what is read in brief is the same as in full', () => {
  const file = folder.file('eventful.db');
  writeEventfulRecording(file, { tickCount: 70, processCount: 8 });
  using recording = openRecording(file);
  const ticks = [...recording.ticks()];
  expect(ticks.length).toBeGreaterThan(1);
  const brief = [...recording.briefTicks()];
  expect(brief).toHaveLength(ticks.length);
  expect(ticks).toMatchObject(brief);
  const last = new Map([...recording.processSamples()].map((row) => [row.process, row] as const));
  const rows = recording.lastProcessSamples();
  expect(rows).toHaveLength(last.size);
  expect(rows.length).toBeGreaterThan(1);
  expect(rows).toEqual([...last.values()].sort((a, b) => a.process - b.process));
});
