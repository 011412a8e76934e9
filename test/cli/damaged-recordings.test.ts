import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportCommand } from '../../src/cli/export.ts';
import { fleetImportCommand } from '../../src/cli/fleet/import.ts';
import { reportCommand } from '../../src/cli/report.ts';
import { sizeCommand } from '../../src/cli/size.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { flipByte, killedRecording, pageBytes } from '../support/damaged-recording.ts';
import { mib } from '../support/fake-sample.ts';
import { fleetRecording } from '../support/fleet-recordings.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { runInTest } from '../support/run-command.ts';

const folder = temporaryFolder();
const whole = folder.file('whole.db');
const flipped = folder.file('flipped.db');
const outdated = folder.file('outdated.db');
let pageCount = 0;

beforeAll(() => {
  fleetRecording(whole, { id: 'a', usedMib: [300, 400] });
  fs.copyFileSync(whole, flipped);
  pageCount = fs.readFileSync(flipped).readUInt32BE(28);
  // In the first sample, whose row ends with its page; SQLite has no checksum of its own.
  flipByte(flipped, tickPage(flipped) * pageBytes - 1, 1);
  fleetRecording(outdated, { id: 'c', usedMib: [500] });
  const db = openDatabase(outdated, { mode: 'write', busyTimeoutMs: 0 });
  db.exec('UPDATE session SET labels = \'{"mine":"1"}\'');
  db.close();
});
afterAll(() => folder[Symbol.dispose]());

function tickPage(file: string): number {
  const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'tick'";
  const page = db.prepare<[], number>(sql).pluck().get() ?? 0;
  db.close();
  return page;
}

const refusal = () => ({
  code: 'FILE_CORRUPT',
  message: `${flipped}: 1 of its ${pageCount} pages are not what they were when it was sealed`,
  hint: expect.stringContaining('headroom verify FILE --repair OUT'),
});

test('SQLite reads it without a word', () => {
  using recording = openRecording(flipped);
  expect([...recording.ticks()]).toHaveLength(2);
});

test('report refuses a sealed file of which one bit is another, and takes one that was written to', async () => {
  await expect(runInTest(reportCommand, flipped)).rejects.toMatchObject(refusal());
  expect(await runInTest(reportCommand, outdated)).toMatchObject({ exitCode: 0 });
  expect(await runInTest(reportCommand, whole)).toMatchObject({ exitCode: 0 });
});

test.each([['csv'], ['ndjson'], ['otlp-json'], ['perfetto'], ['parquet'], ['sqlite'], ['otlp']])(
  'export --to %s refuses it, and nothing is made of it',
  async (to) => {
    const out = folder.file(`out-${to}`);
    // Nothing is sent: nobody listens there.
    const more = to === 'otlp' ? ['--endpoint', 'http://127.0.0.1:9'] : ['--out', out];
    const failed = runInTest(exportCommand, flipped, '--to', to, ...more);
    await expect(failed).rejects.toMatchObject(refusal());
    expect(fs.existsSync(out)).toBe(false);
  },
);

test('of several recordings the damaged one is named, and the others are exported', async () => {
  const alone = await runInTest(exportCommand, outdated, '--to', 'csv');
  const both = await runInTest(exportCommand, flipped, outdated, '--to', 'csv');
  const { message } = refusal();
  expect(both).toEqual({
    exitCode: 1,
    stdout: alone.stdout,
    stderr: `${message} [FILE_CORRUPT]\n`,
  });
});

test('size leaves it out and names it', async () => {
  const { exitCode, stdout, stderr } = await runInTest(sizeCommand, flipped, outdated, '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, demandBytes: { max: 500 * mib } });
  expect(stderr).toContain(`left out: ${refusal().message} [FILE_CORRUPT]`);
  const copy = await runInTest(sizeCommand, flipped, whole, '--json');
  expect(JSON.parse(copy.stdout)).toMatchObject({ sessions: 1, demandBytes: { max: 400 * mib } });
});

test('a damaged log: size and the fleet leave the recording out, as it ends where nobody knows', async () => {
  fs.mkdirSync(folder.file('in'));
  const file = folder.file('in/killed.db');
  killedRecording(file, { tickCount: 30, processCount: 2 });
  expect(await runInTest(sizeCommand, file)).toMatchObject({ exitCode: 0, stderr: '' });
  // Past the head of the log and of its first frame; more follows.
  flipByte(`${file}-wal`, 32 + 24 + 100);
  const named = `left out: ${file}: has a damaged log ${file}-wal: what comes after the damage is not read [FILE_CORRUPT]`;
  const sized = await runInTest(sizeCommand, file);
  expect(sized).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(named) });
  const data = ['--data', folder.file('fleet')];
  for (const _ of ['at first', 'again']) {
    const imported = await runInTest(fleetImportCommand, folder.file('in'), ...data);
    expect(imported).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(named) });
  }
});
