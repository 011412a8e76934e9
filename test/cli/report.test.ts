import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { reportCommand } from '../../src/cli/report.ts';
import type { Gap } from '../../src/model/event.ts';
import { fakeSample, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

const folder = temporaryFolder();
const file = folder.file('set-back.db');
afterAll(() => folder[Symbol.dispose]());

async function report(...args: string[]): Promise<string> {
  const stdout = new PassThrough();
  const { signal } = new AbortController();
  const io = { stdout, stderr: new PassThrough(), env: {}, signal, hurry: signal };
  expect(await reportCommand.run(parseArguments(reportCommand, args), io)).toBe(0);
  return String(stdout.read());
}

test('a clock that was set back by an hour: the recording ends before it began', async () => {
  // Seconds of the wall clock; the monotonic one goes on.
  const seconds = [0, 1, 2, -3598, -3597];
  const setBack: Gap = {
    kind: 'gap',
    gap: 'clock_step',
    fromUnixMs: startUnixMs + 2_000,
    toUnixMs: startUnixMs - 3_598_000,
    timeUnixMs: startUnixMs - 3_598_000,
    wallMs: -3_600_000,
    monotonicMs: 1_000,
  };
  const samples = seconds.map((wall, second) =>
    fakeSample({ second, timeUnixMs: startUnixMs + wall * 1000 }),
  );
  recordSamples(file, samples, { events: [setBack] });

  expect(JSON.parse(await report(file, '--json')).coverage).toMatchObject({
    samples: 5,
    lengthMs: 4_000,
    gaps: [{ kind: 'clock_step', missingMs: 0 }],
  });
  expect(await report(file)).toContain('2026-11-29T14:00:00Z to 2026-11-29T13:00:03Z, 4 s,');
  const afterIt = await report(file, '--json', '--to', '2026-11-29T13:30:00Z');
  expect(JSON.parse(afterIt).coverage.samples).toBe(2);
  await expect(report(file, '--from', '2026-11-29T14:00:03Z')).rejects.toThrow(
    '--from is after the end of the recording',
  );
  await expect(report(file, '--to', '2026-11-29T12:00:00Z')).rejects.toThrow(
    '--to is before the start of the recording',
  );
  await expect(report(file, '--from', '+2s', '--to', '+1s')).rejects.toThrow(
    '--from is after --to: there is nothing between them',
  );
});

test('--json and another format contradict each other', async () => {
  const file = folder.file('both.db');
  recordSamples(file, [fakeSample({ second: 0 })]);
  await expect(report(file, '--json', '--format', 'text')).rejects.toThrow(
    '--json does not go with --format text',
  );
  expect(JSON.parse(await report(file, '--json', '--format', 'json')).schemaVersion).toBe(1);
});
