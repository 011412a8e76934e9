import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  isProtected,
  oomScoreAdjBelow,
  protectionWords,
  protectSelf,
  type Setting,
} from '../../src/collector/self-protection.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** A kernel that permits values from `lowest` on. */
function settingOf(value: number | null, lowest: number): Setting & { value: number | null } {
  return {
    value,
    read() {
      return this.value;
    },
    write(wanted) {
      if (wanted < lowest) return false;
      this.value = wanted;
      return true;
    },
  };
}

test.each<[string, [number, number], [number, number], string, boolean]>([
  [
    'root with everything',
    [0, -1000],
    [0, -20],
    'oom_score_adj lowered from 0 to -500, niceness lowered from 0 to -5',
    true,
  ],
  [
    'a user',
    [0, 0],
    [0, 0],
    'oom_score_adj 0 (may not be lowered), niceness 0 (may not be lowered)',
    false,
  ],
  [
    'what was raised without rights is taken back',
    [300, 100],
    [10, 10],
    'oom_score_adj lowered from 300 to 100, niceness 10 (may not be lowered)',
    false,
  ],
  [
    'a limit that allows a part (ulimit -e 22)',
    [0, -1],
    [0, -2],
    'oom_score_adj lowered from 0 to -1, niceness lowered from 0 to -2',
    false,
  ],
  [
    'a service that has more already',
    [-900, -900],
    [-10, -20],
    'oom_score_adj -900, niceness -10',
    true,
  ],
])('%s', (_, oom, nice, text, isEnough) => {
  const protection = protectSelf({ oomScoreAdj: settingOf(...oom), niceness: settingOf(...nice) });
  expect(protectionWords(protection)).toBe(text);
  expect(isProtected(protection)).toBe(isEnough);
});

test('never raised, and lowered as far as it may be', () => {
  const value = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(value, value, (before, lowest) => {
      const setting = settingOf(before, lowest);
      protectSelf({ oomScoreAdj: setting, niceness: settingOf(0, -20) });
      expect(setting.value).toBe(Math.min(before, Math.max(-500, lowest)));
    }),
  );
});

test('a system without it', () => {
  const protection = protectSelf({
    oomScoreAdj: oomScoreAdjBelow(folder.path),
    niceness: settingOf(null, 0),
  });
  expect(protection).toEqual({ oomScoreAdj: null, niceness: null });
  expect(protectionWords(protection)).toBe('oom_score_adj unknown, niceness unknown');
  expect(isProtected(protection)).toBe(false);
});

test('the file of the kernel', () => {
  fs.mkdirSync(folder.file('self'));
  const file = path.join(folder.path, 'self/oom_score_adj');
  fs.writeFileSync(file, '200\n');
  const setting = oomScoreAdjBelow(folder.path);
  expect(setting.read()).toBe(200);
  expect(setting.write(-500)).toBe(true);
  expect(fs.readFileSync(file, 'utf8')).toBe('-500');
});
