import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { CheckProgress } from '../../src/cli/check-progress.ts';
import type { CheckStep } from '../../src/store/check-progress.ts';
import { salvageFile } from '../../src/store/salvage/salvage-file.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { endedRecording, overwrite, pageBytes } from '../support/damaged-recording.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

test('a line says what is done and how far it is, ten times a second, and is gone at the end', () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  let nowMs = 0;
  const progress = new CheckProgress({ stderr }, '/tmp/task.db', () => nowMs);
  progress.update('checksums', 0);
  progress.update('checksums', 0.1);
  nowMs = 100;
  progress.update('checksums', 0.499);
  progress.update('structure', null);
  progress.end();
  expect(String(stderr.read()).split('\r\u001b[K')).toEqual([
    '',
    'task.db  comparing every byte with its checksums  0 %',
    'task.db  comparing every byte with its checksums  49 %',
    'task.db  checking the tables',
    '',
  ]);
});

test('where nobody looks nothing is said', () => {
  const stderr = new PassThrough();
  const progress = new CheckProgress({ stderr }, 'task.db');
  progress.update('checksums', 0);
  progress.end();
  expect(stderr.read()).toBeNull();
});

test('a check and a repair say each of their steps, and never more than all of one', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  endedRecording(file, { tickCount: 600 });
  const told: [CheckStep, number | null][] = [];
  const onProgress = (step: CheckStep, part: number | null) => told.push([step, part]);
  verifyFile(file, { onProgress });
  const check = ['checksums', 'structure', 'contents'];
  expect(stepsOf(told)).toEqual(check);
  told.length = 0;
  const root = "SELECT rootpage FROM sqlite_schema WHERE name = 'series'";
  const page = Number(execFileSync('sqlite3', [file, root]));
  overwrite(file, (page - 1) * pageBytes, Buffer.alloc(pageBytes));
  salvageFile(file, folder.file('b.db'), { onProgress });
  expect(stepsOf(told)).toEqual(['checksums', 'saving', 'sealing', ...check]);
  const parts = told.flatMap(([, part]) => part ?? []);
  expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...parts)).toBeLessThanOrEqual(1);
});

function stepsOf(told: readonly [CheckStep, number | null][]): CheckStep[] {
  return told.map(([step]) => step).filter((step, at, all) => step !== all[at - 1]);
}
