import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { keepingSeal } from '../../src/cli/seal-recording.ts';
import { advanceCursor } from '../../src/store/export-cursor.ts';
import { checkSeal } from '../../src/store/seal/check-seal.ts';
import { fleetRecording } from '../support/fleet-recordings.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const silent = { stderr: process.stderr };

async function exportOf(file: string): Promise<void> {
  await keepingSeal(file, silent, async () => {
    advanceCursor(file, 'http://127.0.0.1:4318', { sequence: 2, timeUnixMs: 0, sentCount: 2 });
  });
}

function sealed(name: string): string {
  const file = folder.file(name);
  fleetRecording(file, { id: name, usedMib: [300, 310, 320] });
  expect(checkSeal(file).state).toBe('intact');
  return file;
}

test('a recording that was exported is whole', async () => {
  const file = sealed('whole.db');
  await exportOf(file);
  await exportOf(file);
  expect(checkSeal(file).state).toBe('intact');
});

test('what failed leaves it whole as well, with the place that it came to', async () => {
  const file = sealed('failed.db');
  const failing = keepingSeal(file, silent, async () => {
    advanceCursor(file, 'http://127.0.0.1:4318', { sequence: 1, timeUnixMs: 0 });
    throw new Error('no network');
  });
  await expect(failing).rejects.toThrow('no network');
  expect(checkSeal(file).state).toBe('intact');
});

test('an export does not vouch for what was damaged, or written by another program, before', async () => {
  const damaged = sealed('damaged.db');
  const bytes = fs.readFileSync(damaged);
  const at = bytes.lastIndexOf('"kind"') < 0 ? 8 * 4096 + 4000 : bytes.lastIndexOf('"kind"');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  fs.writeFileSync(damaged, bytes);
  expect(checkSeal(damaged).state).toBe('damaged');
  await exportOf(damaged);
  expect(checkSeal(damaged).state).toBe('outdated');

  const changed = sealed('changed.db');
  advanceCursor(changed, 'http://127.0.0.1:1', { sequence: 1, timeUnixMs: 0 });
  expect(checkSeal(changed).state).toBe('outdated');
  await exportOf(changed);
  expect(checkSeal(changed).state).toBe('outdated');
});
