import fs from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { fleetImportCommand } from '../../../src/cli/fleet/import.ts';
import { fleetReportCommand } from '../../../src/cli/fleet/report.ts';
import { fleetTopCommand } from '../../../src/cli/fleet/top.ts';
import { endReasons } from '../../../src/model/session.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { fakeFacts, mib } from '../../support/fake-sample.ts';
import { fleetRecording } from '../../support/fleet-recordings.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { runInTest } from '../../support/run-command.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  fs.mkdirSync(folder.file('in/deep/er'), { recursive: true });
});
afterEach(() => folder[Symbol.dispose]());

async function imported(...args: string[]) {
  const data = ['--data', folder.file('fleet')];
  const run = await runInTest(fleetImportCommand, folder.file('in'), ...args, ...data, '--json');
  return { ...run, json: JSON.parse(run.stdout) };
}

async function report() {
  const run = await runInTest(fleetReportCommand, '--data', folder.file('fleet'), '--json');
  return JSON.parse(run.stdout);
}

test('folders are searched to their ends; a second import looks at nothing again', async () => {
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300, 400] });
  fleetRecording(folder.file('in/deep/er/b.db'), { id: 'b', usedMib: [500] });
  fs.writeFileSync(folder.file('in/deep/notes.txt'), 'no recording');
  const first = await imported();
  expect(first.exitCode).toBe(0);
  expect(first.json).toMatchObject({ schemaVersion: 1, sessions: 2, files: 2, leftOut: [] });
  expect(first.json.outcomes).toMatchObject({ imported: 2, unchanged: 0 });
  const second = await imported();
  expect(second.json.outcomes).toMatchObject({ imported: 0, unchanged: 2 });
  expect(second.json.sessions).toBe(2);
});

test('damaged files are named and skipped, and named again by the next import', async () => {
  fleetRecording(folder.file('in/good.db'), { id: 'a', usedMib: [300] });
  fleetRecording(folder.file('in/torn.db'), { id: 'b', usedMib: [300] });
  fs.truncateSync(folder.file('in/torn.db'), 9000);
  fs.writeFileSync(folder.file('in/page.db'), '<html>not found</html>');
  fs.writeFileSync(folder.file('in/empty.db'), '');
  for (const _ of ['at first', 'again']) {
    const { exitCode, json, stderr } = await imported();
    expect(exitCode).toBe(0);
    expect(json.sessions).toBe(1);
    const named = json.leftOut.map(({ file, code }: Record<string, string>) => [file, code]);
    expect(named.sort()).toEqual([
      [folder.file('in/empty.db'), 'FILE_EMPTY'],
      [folder.file('in/page.db'), 'FILE_NOT_A_DATABASE'],
      [folder.file('in/torn.db'), 'FILE_CORRUPT'],
    ]);
    expect(stderr).toContain(`left out: ${folder.file('in/torn.db')}`);
  }
});

test('a damaged file that was fetched again is brought in', async () => {
  fleetRecording(folder.file('whole.db'), { id: 'a', usedMib: [300] });
  fs.copyFileSync(folder.file('whole.db'), folder.file('in/a.db'));
  fs.truncateSync(folder.file('in/a.db'), 9000);
  expect(await imported()).toMatchObject({ exitCode: 1, json: { sessions: 0 } });
  fs.copyFileSync(folder.file('whole.db'), folder.file('in/a.db'));
  expect(await imported()).toMatchObject({ exitCode: 0, json: { sessions: 1, leftOut: [] } });
});

test('a copy is known by its checksum, whatever its name', async () => {
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300] });
  await imported();
  fs.copyFileSync(folder.file('in/a.db'), folder.file('in/deep/copy.db'));
  const { json } = await imported();
  expect(json.outcomes).toMatchObject({ imported: 0, duplicate: 1, unchanged: 1 });
  expect(json.sessions).toBe(1);
});

test('a recording that was moved is found in its new place', async () => {
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300] });
  await imported();
  fs.renameSync(folder.file('in/a.db'), folder.file('in/deep/moved.db'));
  expect((await imported()).json.outcomes).toMatchObject({ duplicate: 1 });
  const { stdout } = await runInTest(fleetReportCommand, '--data', folder.file('fleet'), '--json');
  expect(JSON.parse(stdout).sessions).toBe(1);
});

test('a copy that is known already takes the place of what was deleted, or moved back', async () => {
  const [first, copy] = [folder.file('in/a.db'), folder.file('in/deep/copy.db')];
  fleetRecording(first, { id: 'a', usedMib: [300] });
  fs.copyFileSync(first, copy);
  await imported();
  const top = async () => (await runInTest(fleetTopCommand, '--data', folder.file('fleet'))).stdout;
  expect(await top()).toContain(`   headroom report ${first}\n`);

  fs.renameSync(first, folder.file('away.db'));
  expect(await top()).toContain(`   its recording is gone, which was ${first}\n`);
  expect((await imported()).json.outcomes).toMatchObject({ duplicate: 1, unchanged: 0 });
  expect(await top()).toContain(`   headroom report ${copy}\n`);
  expect((await imported()).json.outcomes).toMatchObject({ duplicate: 0, unchanged: 1 });

  fs.renameSync(folder.file('away.db'), first);
  fs.rmSync(copy);
  await imported();
  expect(await top()).toContain(`   headroom report ${first}\n`);
  fs.copyFileSync(first, copy);
  expect((await imported()).json).toMatchObject({ sessions: 1, outcomes: { duplicate: 1 } });
});

test('a name that is used again leads nobody from the old session to the new recording', async () => {
  fleetRecording(folder.file('in/a.db'), { id: 'old', usedMib: [600] });
  await imported();
  fs.copyFileSync(folder.file('in/a.db'), folder.file('kept.db'));
  fs.rmSync(folder.file('in/a.db'));
  fleetRecording(folder.file('in/a.db'), { id: 'new', usedMib: [300, 310] });
  expect((await imported()).json).toMatchObject({ sessions: 2, outcomes: { imported: 1 } });
  const filesOf = async () => {
    const run = await runInTest(fleetTopCommand, '--data', folder.file('fleet'), '--json');
    const { sessions } = JSON.parse(run.stdout) as { sessions: { id: string; file: string }[] };
    return Object.fromEntries(sessions.map(({ id, file }) => [id, file]));
  };
  expect(await filesOf()).toEqual({ old: null, new: folder.file('in/a.db') });
  const { stdout } = await runInTest(fleetTopCommand, '--data', folder.file('fleet'));
  expect(stdout).toContain('its recording is gone: another one has its name');

  fs.renameSync(folder.file('kept.db'), folder.file('in/deep/kept.db'));
  expect((await imported()).json.outcomes).toMatchObject({ duplicate: 1, unchanged: 1 });
  expect(await filesOf()).toEqual({
    old: folder.file('in/deep/kept.db'),
    new: folder.file('in/a.db'),
  });
});

test('of two recordings of one session the longer one counts, in either order', async () => {
  fleetRecording(folder.file('in/1-short.db'), { id: 'a', usedMib: [300, 310] });
  fleetRecording(folder.file('in/2-long.db'), { id: 'a', usedMib: [300, 310, 450] });
  fleetRecording(folder.file('in/3-shorter.db'), { id: 'a', usedMib: [300] });
  const { json } = await imported();
  expect(json.outcomes).toMatchObject({ imported: 1, replaced: 1, shorter: 1 });
  expect(await report()).toMatchObject({
    sessions: 1,
    recordedMs: 3000,
    peakBytes: { max: 450 * mib },
  });
});

test('a session that went on twice: the first one counts, and the other one is named each time', async () => {
  fleetRecording(folder.file('in/1.db'), { id: 'a', usedMib: [300, 310, 450] });
  fleetRecording(folder.file('in/2.db'), { id: 'a', usedMib: [300, 310] });
  // From the third sample on it is ten hours later, as where the clock was set after a restore.
  fleetRecording(folder.file('in/3.db'), { id: 'a', usedMib: [300, 310, 320, 330], startHour: 10 });
  fs.copyFileSync(folder.file('in/3.db'), folder.file('in/4-copy.db'));
  const why = `the same session as ${folder.file('in/1.db')} up to a moment, and other samples from then on, as when a snapshot is restored twice`;
  for (const outcomes of [
    { imported: 1, shorter: 1, parted: 2, replaced: 0, duplicate: 0 },
    { unchanged: 2 },
  ]) {
    const { json, stderr } = await imported();
    expect(json).toMatchObject({ sessions: 1, outcomes });
    expect(json.leftOut).toEqual([
      { file: folder.file('in/3.db'), code: null, reason: why },
      { file: folder.file('in/4-copy.db'), code: null, reason: why },
    ]);
    expect(stderr).toContain(`left out: ${folder.file('in/3.db')}: ${why}`);
  }
  expect(await report()).toMatchObject({ sessions: 1, peakBytes: { max: 450 * mib } });

  // Where it ended is in the data set, also when its file is gone.
  fs.rmSync(folder.file('in/1.db'));
  expect((await imported('--again')).json.outcomes).toMatchObject({ parted: 2, shorter: 1 });
});

test('a recording that is still written is left out, and brought in when it has ended', async () => {
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300] });
  const writer = StoreWriter.open(folder.file('in/live.db'), fakeFacts({ id: 'b' }));
  const { json } = await imported();
  expect(json.leftOut).toEqual([
    { file: folder.file('in/live.db'), code: null, reason: 'it is still being recorded' },
  ]);
  writer.close({ endedUnixMs: 0, endReason: 'signal' });
  expect((await imported()).json.leftOut).toEqual([
    {
      file: folder.file('in/live.db'),
      code: null,
      reason: 'it does not tell how much memory was used',
    },
  ]);
});

test.each(endReasons)('a recording that ended by %s is read back', async (endReason) => {
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300], endReason });
  await imported();
  expect(await report()).toMatchObject({ sessions: 1 });
});

test('--again looks at everything once more', async () => {
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300] });
  await imported();
  expect((await imported('--again')).json.outcomes).toMatchObject({ imported: 0, unchanged: 1 });
});

test('another file of that name in --data is refused and left as it is', async () => {
  fs.mkdirSync(folder.file('fleet'));
  fleetRecording(folder.file('fleet/fleet.db'), { id: 'x', usedMib: [300] });
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300] });
  await expect(imported()).rejects.toMatchObject({ code: 'FILE_EXISTS' });
});

test('one bad entry keeps no other from being brought in', async () => {
  fleetRecording(folder.file('in/z.db'), { id: 'a', usedMib: [300] });
  fs.symlinkSync('circle.db', folder.file('in/circle.db'));
  fs.symlinkSync('absent', folder.file('in/nowhere.db'));
  const { exitCode, json } = await imported();
  expect(exitCode).toBe(0);
  expect(json.sessions).toBe(1);
  expect(json.leftOut.map(({ file, code }: Record<string, string>) => [file, code])).toEqual([
    [folder.file('in/circle.db'), 'FILE_NOT_READABLE'],
    [folder.file('in/nowhere.db'), 'FILE_NOT_FOUND'],
  ]);
});

test('one flipped bit is damage, and a whole copy of the session is brought in', async () => {
  fleetRecording(folder.file('whole.db'), { id: 'a', usedMib: [300] });
  const bytes = fs.readFileSync(folder.file('whole.db'));
  // In the last page, before the checksums.
  const at = bytes.readUInt16BE(16) * bytes.readUInt32BE(28) - 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  fs.writeFileSync(folder.file('in/flipped.db'), bytes);
  const first = await imported();
  expect(first.json).toMatchObject({ sessions: 0, leftOut: [{ code: 'FILE_CORRUPT' }] });
  fs.copyFileSync(folder.file('whole.db'), folder.file('in/whole.db'));
  expect((await imported()).json).toMatchObject({ sessions: 1, outcomes: { imported: 1 } });
});

test('a folder that is still empty is no mistake; with a session in the data set all is well', async () => {
  const first = await imported();
  expect(first).toMatchObject({ exitCode: 1, json: { files: 0, sessions: 0, leftOut: [] } });
  expect(first.stderr).toBe(
    'headroom fleet import: there is no recording (.db) in these folders\n',
  );
  fleetRecording(folder.file('in/a.db'), { id: 'a', usedMib: [300] });
  await imported();
  fs.rmSync(folder.file('in/a.db'));
  const run = await runInTest(
    fleetImportCommand,
    folder.file('in'),
    '--data',
    folder.file('fleet'),
  );
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toBe(`0 files\n1 session in ${folder.file('fleet/fleet.db')}\n`);
});

test('data sets below are passed over; a recording of that name is not', async () => {
  fleetRecording(folder.file('in/deep/fleet.db'), { id: 'a', usedMib: [300] });
  await runInTest(fleetImportCommand, folder.file('in'), '--data', folder.file('in/deep/er'));
  expect(fs.existsSync(folder.file('in/deep/er/fleet.db'))).toBe(true);
  expect((await imported()).json).toMatchObject({ files: 1, sessions: 1, leftOut: [] });
});

test('what makes no sense', async () => {
  await expect(runInTest(fleetImportCommand)).rejects.toThrow(UsageError);
  const absent = runInTest(fleetImportCommand, folder.file('none'), '--data', folder.file('d'));
  await expect(absent).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  expect(fs.existsSync(folder.file('d'))).toBe(false);
  const empty = runInTest(fleetReportCommand, '--data', folder.file('d'));
  await expect(empty).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
});
