import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifyJson } from '../../src/cli/verify-json.ts';
import { verifyText } from '../../src/cli/verify-text.ts';
import { HeadroomError } from '../../src/model/errors.ts';
import type { Salvage } from '../../src/store/salvage/salvage-file.ts';
import type { ProblemCode, Verification } from '../../src/store/verify/verification.ts';
import { fakeFacts, startUnixMs } from '../support/fake-sample.ts';

const whole: Verification = {
  path: '/tmp/my task.db',
  sizeBytes: 4096,
  isWhole: true,
  isLive: false,
  checked: 'every_byte',
  problems: [],
  remarks: [],
  contents: {
    facts: fakeFacts({ endReason: 'duration' }),
    sampleCount: 3600,
    firstUnixMs: startUnixMs,
    lastUnixMs: startUnixMs + 3_600_000,
    processCount: 12,
    eventCount: 3,
    gaps: [
      {
        kind: 'gap',
        gap: 'standby',
        fromUnixMs: startUnixMs,
        toUnixMs: startUnixMs + 600_000,
        timeUnixMs: startUnixMs + 600_000,
        wallMs: 600_000,
        monotonicMs: 1000,
      },
    ],
  },
};
const withoutLog: Verification = {
  ...whole,
  isWhole: false,
  checked: 'structure',
  problems: [{ code: 'log_missing', message: 'was copied without its log' }],
  remarks: ['it has no end'],
};

const damaged: Verification = {
  ...whole,
  isWhole: false,
  problems: [{ code: 'bytes_changed', message: 'is not what it was' }],
};
const salvage: Salvage = {
  saved: whole,
  isSessionLost: false,
  lostSamples: [{ fromUnixMs: startUnixMs, toUnixMs: startUnixMs + 27_000, count: 26 }],
  tables: [
    {
      name: 'tick',
      savedRows: 3574,
      refusedRows: 0,
      lostPages: 1,
      lostTimes: [{ fromUnixMs: null, toUnixMs: startUnixMs + 27_000 }],
    },
    { name: 'session', savedRows: 1, refusedRows: 0, lostPages: 0, lostTimes: [] },
    { name: 'process_text', savedRows: 11, refusedRows: 1, lostPages: 2, lostTimes: [] },
  ],
};

const nothingLeft = new HeadroomError('NOTHING_TO_SAVE', 'a.db: no sample is left in it', {
  hint: 'Pull it again.',
});

describe('for people', () => {
  test('a whole recording', () => {
    expect(verifyText(whole).split('\n')).toEqual([
      '/tmp/my task.db is whole: every byte is as it was when it was sealed',
      `  session ${fakeFacts().id}, ended (duration)`,
      '  3600 samples from 2026-11-29T14:00:00Z to 2026-11-29T15:00:00Z',
      '  1 gap (standby), the longest 10 min',
      '',
    ]);
  });

  test('one that is not, and what to do', () => {
    const text = verifyText({ ...withoutLog, contents: null });
    expect(text.split('\n')).toEqual([
      '/tmp/my task.db is NOT whole',
      '  it was copied without its log',
      '  it has no end',
      'What to do',
      expect.stringContaining("headroom export '/tmp/my task.db' --to sqlite --out COPY"),
      "  save what is left, if there is anything: headroom verify '/tmp/my task.db' --repair OUT",
      '',
    ]);
    expect(verifyText(withoutLog)).toContain('  save what is left: headroom verify');
    const contents = { ...(whole.contents ?? expect.unreachable()), sampleCount: 0 };
    expect(verifyText({ ...withoutLog, contents })).not.toContain('--repair');
  });

  test('what was saved and lost', () => {
    const lines = verifyText(damaged, { kind: 'salvage', file: 'saved.db', salvage }).split('\n');
    expect(
      lines.slice(lines.indexOf('Saved in saved.db: 3600 samples and what belongs to them')),
    ).toEqual([
      'Saved in saved.db: 3600 samples and what belongs to them',
      '  lost: 26 samples between 2026-11-29T14:00:00Z and 2026-11-29T14:00:27Z',
      '  lost: 1 page of tick, from its beginning to 2026-11-29T14:00:27Z, 3574 rows saved',
      '  lost: 2 pages and 1 row of process_text, 11 rows saved',
      '',
    ]);
  });

  test('a whole one that is to be repaired is copied', () => {
    expect(verifyText(whole, { kind: 'copy', file: 'b.db' })).toContain('Copied whole to b.db\n');
  });

  test('that nothing can be saved', () => {
    const lines = verifyText(damaged, { kind: 'nothing', reason: nothingLeft }).split('\n');
    expect(lines.slice(-3)).toEqual([
      'Nothing can be saved: a.db: no sample is left in it [NOTHING_TO_SAVE]',
      '  Pull it again.',
      '',
    ]);
    expect(lines.join('')).not.toContain('--repair');
  });

  test('names from the file cannot steer the terminal', () => {
    const facts = fakeFacts({ id: '\u001b[31mred' });
    const contents = { ...(whole.contents ?? expect.unreachable()), facts };
    expect(verifyText({ ...whole, contents })).not.toContain('\u001b');
  });
});

test('for programs: what was saved and lost', () => {
  const { repair } = JSON.parse(
    verifyJson(damaged, { kind: 'salvage', file: 'saved.db', salvage }),
  );
  const { saved: _, ...lost } = salvage;
  expect(repair).toMatchObject({ file: 'saved.db', kind: 'salvage', ...lost });
  expect(repair.contents.samples).toBe(3600);
});

test('for programs: that nothing could be saved', () => {
  const { repair } = JSON.parse(verifyJson(damaged, { kind: 'nothing', reason: nothingLeft }));
  const message = 'a.db: no sample is left in it';
  expect(repair).toEqual({ file: null, kind: 'nothing', code: 'NOTHING_TO_SAVE', message });
});

test('for programs', () => {
  expect(JSON.parse(verifyJson(withoutLog))).toEqual({
    schemaVersion: 1,
    file: '/tmp/my task.db',
    sizeBytes: 4096,
    isWhole: false,
    isLive: false,
    checked: 'structure',
    problems: [{ code: 'log_missing', message: 'was copied without its log' }],
    remarks: ['it has no end'],
    contents: {
      sessionId: fakeFacts().id,
      startedUnixMs: fakeFacts().startedUnixMs,
      endedUnixMs: fakeFacts().endedUnixMs,
      endReason: 'duration',
      samples: 3600,
      firstUnixMs: startUnixMs,
      lastUnixMs: startUnixMs + 3_600_000,
      processes: 12,
      events: 3,
      gaps: [{ fromUnixMs: startUnixMs, toUnixMs: startUnixMs + 600_000, kind: 'standby' }],
    },
    repair: null,
  });
});

test('every field and every code of a problem is in docs/verify.md', () => {
  const page = readFileSync(new URL('../../docs/verify.md', import.meta.url), 'utf8');
  const answer: unknown = JSON.parse(
    verifyJson(damaged, { kind: 'salvage', file: '/tmp/saved.db', salvage }),
  );
  const codes = Object.keys({
    bytes_changed: true,
    log_missing: true,
    log_empty: true,
    log_unfinished: true,
    log_damaged: true,
    structure: true,
    contents: true,
    samples_missing: true,
  } satisfies Record<ProblemCode, true>);
  const names = [...fieldsOf(answer), ...codes];
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

function fieldsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(fieldsOf)];
}
