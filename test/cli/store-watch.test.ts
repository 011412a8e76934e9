import { statSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { StoreWatch } from '../../src/cli/store-watch.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { mib } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

test('a reader that holds one state of the file: told once, the log is bounded, nothing is lost', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const stderr = new PassThrough();
  const signal = new AbortController().signal;
  const watch = new StoreWatch({ stdout: stderr, stderr, env: {}, signal, hurry: signal }, file);
  const writer = StoreWriter.open(file, syntheticFacts(), { maxBytes: 4 * mib });
  const grafana = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  grafana.exec('BEGIN');
  expect(grafana.prepare('SELECT count(*) FROM tick').pluck().get()).toBe(0);
  let largestLogBytes = 0;
  for (const sample of syntheticSamples({ tickCount: 500, processCount: 100 })) {
    if (sample.sequence === 450) grafana.close();
    watch.tell(writer.writeSample(sample, []));
    largestLogBytes = Math.max(largestLogBytes, statSync(`${file}-wal`).size);
  }
  expect(watch.end(writer.close(ended), writer.writtenCount)).toBe(true);
  expect(String(stderr.read()).split('\n')).toEqual([
    `cannot write ${file}: another program has been reading the file for too long, and its log has come to 2 MiB; samples are kept in memory, as far as there is room [STORE_BUSY]`,
    `${file} can be written again`,
    '',
  ]);
  expect(largestLogBytes).toBeLessThanOrEqual(2 * mib);
  using recording = openRecording(file);
  expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 500 }, (_, at) => at + 1),
  );
});

test.each([
  ['full', 'STORE_FULL'],
  ['busy', 'STORE_BUSY'],
  ['failed', 'FILE_NOT_WRITABLE'],
] as const)('not all is there at the end, as it is %s: %s', (reason, code) => {
  const stderr = new PassThrough();
  const signal = new AbortController().signal;
  const watch = new StoreWatch({ stdout: stderr, stderr, env: {}, signal, hurry: signal }, 'a.db');
  const counts = { pendingCount: 3, lostCount: 2 };
  const result = { outcome: 'deferred', reason, ...counts, message: 'why' } as const;
  expect(watch.end(result, 7)).toBe(false);
  expect(String(stderr.read())).toBe(
    `NOT everything is in a.db: why; 7 samples are there, 5 are not [${code}]\n`,
  );
});

test('of a file that was removed it is said where the rest is, if there is one', () => {
  using folder = temporaryFolder();
  const file = folder.file('a b.db');
  const stderr = new PassThrough();
  const signal = new AbortController().signal;
  const watch = new StoreWatch({ stdout: stderr, stderr, env: {}, signal, hurry: signal }, file);
  const counts = { pendingCount: 3, lostCount: 0 };
  const result = { outcome: 'deferred', reason: 'failed', ...counts, message: 'why' } as const;
  watch.end(result, 0);
  writeFileSync(`${file}-wal`, 'x');
  watch.end(result, 0);
  const first = `NOT everything is in ${file}: why; 0 samples are there, 3 are not [FILE_NOT_WRITABLE]`;
  expect(String(stderr.read()).split('\n')).toEqual([
    first,
    first,
    `the newest samples are in ${file}-wal: if the file was moved, move that beside it (mv '${file}-wal' NEWNAME-wal), so that both are read; else remove it`,
    '',
  ]);
});

test.each([
  [
    { outcome: 'moved', path: '/b/a.db', missingCount: 3 } as const,
    'a.db was moved while it was recorded: all but 3 samples are in /b/a.db [FILE_NOT_WRITABLE]\n',
  ],
  [
    { outcome: 'in_log', path: null, log: '/a.db-wal', missingCount: 3 } as const,
    'NOT everything is in a.db: the file was removed or moved while it was recorded, and 3 samples are nowhere [FILE_NOT_WRITABLE]\n' +
      'the newest samples are in /a.db-wal: if the file was moved, move that beside it (mv /a.db-wal NEWNAME-wal), so that both are read; else remove it\n',
  ],
  [
    { outcome: 'in_log', path: '/b/a.db', log: '/a.db-wal', missingCount: 0 } as const,
    'NOT everything is in /b/a.db: a.db was moved there while it was recorded, and its log /a.db-wal, with the newest samples, cannot be put beside it: another program has made /b/a.db-wal, or it is another disk [FILE_NOT_WRITABLE]\n' +
      'to read both: cp /b/a.db COPY && cp /a.db-wal COPY-wal && headroom verify COPY\n',
  ],
])('of a file that was moved it is said where everything is: %j', (result, words) => {
  const stderr = new PassThrough();
  const signal = new AbortController().signal;
  const watch = new StoreWatch({ stdout: stderr, stderr, env: {}, signal, hurry: signal }, 'a.db');
  expect(watch.end(result, 7)).toBe(false);
  expect(String(stderr.read())).toBe(words);
});
