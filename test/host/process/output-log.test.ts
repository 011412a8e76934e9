import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputFrame } from '../../../src/host/process/frame.ts';
import { OutputLog } from '../../../src/host/process/output-log.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

test('every reader has every byte in order, whenever it comes', async () => {
  using folder = temporaryFolder();
  let runs = 0;
  const frame = fc.record({
    stream: fc.constantFrom('stdout', 'stderr'),
    data: fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
  }) as fc.Arbitrary<OutputFrame>;
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 30 }), fc.nat(), async (frames, nat) => {
      const log = new OutputLog(folder.file(String(runs++)));
      const read = async () => {
        const items: unknown[] = [];
        for await (const item of log.read(new AbortController().signal)) items.push(item);
        return items;
      };
      const middle = nat % (frames.length + 1);
      const early = read();
      for (const each of frames.slice(0, middle)) log.push(each);
      const between = read();
      for (const each of frames.slice(middle)) log.push(each);
      const end = { exitCode: 3, signal: null };
      log.end(end);
      const wanted = [...frames, end];
      expect(await Promise.all([early, between, read()])).toEqual([wanted, wanted, wanted]);
      log.close();
    }),
    { numRuns: 50 },
  );
});

test('a process that wrote too much is not read any more', () => {
  using folder = temporaryFolder();
  const log = new OutputLog(folder.file('log'), 20);
  const line = { stream: 'stdout' as const, data: Buffer.from('line\n') };
  expect([log.push(line), log.push(line)]).toEqual([true, false]);
  log.close();
});

test('a reader stops with its signal, and when the log is closed', async () => {
  using folder = temporaryFolder();
  const log = new OutputLog(folder.file('log'));
  const stop = new AbortController();
  const first = log.read(stop.signal).next();
  const second = log.read(new AbortController().signal).next();
  stop.abort();
  expect((await first).done).toBe(true);
  log.close();
  expect((await second).done).toBe(true);
});
