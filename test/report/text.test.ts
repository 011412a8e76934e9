import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note, RecordingEvent } from '../../src/model/event.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { goldenRecording } from '../support/golden-recording.ts';

const text = renderText(analyse(goldenRecording()));

/** The lines of one section, without its heading. */
function section(report: string, heading: RegExp): string {
  const found = report.split('\n\n').find((part) => heading.test(part)) ?? '';
  return found.split('\n').slice(1).join('\n');
}

test('the verdict comes first, with what to do and what it stands on', () => {
  const lines = text.split('\n');
  expect(lines[0]).toBe('Out of memory: killed by the kernel');
  expect(lines[1]).toMatch(/^ {2}The kernel's OOM killer ended a renderer process \(pid 110/);
  expect(text).toContain('What to do\n  - Give the session more than 400 MiB');
  expect(text).toContain('kmsg:1234');
});

test('memory of the session against its limit', () => {
  const memory = section(text, /^Memory/);
  expect(memory).toContain('limit 400 MiB (memory cgroup v2)');
  // 288 and 388 of 400 MiB.
  expect(memory).toMatch(/\[█+▒+·+\] 97 % at most/);
  expect(memory).toMatch(/working set +288 MiB +368 MiB +378 MiB +386 MiB +388 MiB/);
  expect(memory).toContain('lowest 12.0 MiB (3.0 % of the limit)');
  expect(memory).toContain("400 MiB by the kernel's own mark (memory.peak)");
});

test('the browser by role, and what a sum of RSS is', () => {
  const browser = section(text, /^Browser/);
  expect(browser).toMatch(/browser +1 +100 MiB +100 MiB +100 MiB +180 MiB +20\.0/);
  expect(browser).toMatch(/all of it +2 /);
  expect(browser).toContain('RSS sum counts shared pages several times');
});

test('processes, kills, gaps, notes and the cost of the recorder', () => {
  expect(section(text, /^Biggest processes \(3 of 3\)/)).toMatch(
    /renderer +110 +268 MiB +328 MiB +9\.9 +unknown +OOM kill/,
  );
  expect(section(text, /^OOM kills/)).toContain('renderer (chromium), pid 110, 330 MiB resident');
  const coverage = section(text, /^Coverage/);
  expect(coverage).toContain('101 samples, one every 1 s, 1 missed, 1 gap');
  expect(coverage).toContain('2026-11-29T14:00:19Z to 2026-11-29T14:10:20Z  standby, 10 min');
  expect(section(text, /^Notes/)).toContain('pressure/io: missing');
  expect(section(text, /^Recorder/)).toContain('10 ms of CPU a second, 45.0 MiB resident at most');
});

test.each([80, 100])('no line is wider than %d columns', (columns) => {
  const lines = renderText(analyse(goldenRecording()), { columns }).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
});

test('a terminal narrower than the tables gets them as for 80 columns', () => {
  const report = analyse(goldenRecording());
  expect(renderText(report, { columns: 40 })).toBe(renderText(report, { columns: 80 }));
});

const hostile = fakeProcess({
  pid: 110,
  role: 'other',
  browserPid: null,
  comm: '\u001b]0;owned\u0007\n\u009b2J',
  rssBytes: 5 * mib,
});

test('names and labels cannot write to the terminal', () => {
  const report = analyse(
    fakeRecording({
      samples: [fakeSample({ second: 0, processes: [hostile] }), fakeSample({ second: 1 })],
      events: [
        fakeOomKill({
          pid: 110,
          comm: hostile.comm,
          timeUnixMs: startUnixMs + 500,
          scope: 'machine',
        }),
        {
          kind: 'note',
          timeUnixMs: startUnixMs,
          code: 'store_busy',
          message: 'locked by \u001b[31m',
        },
      ],
      facts: { labels: { 'k\u001b[1m': 'v\r\u0085' } },
    }),
  );
  for (const color of [false, true]) {
    const own = ['1', '2', '31', '32', '33', '0'].map((code) => `\u001b[${code}m`);
    const rendered = own.reduce(
      (rest, sequence) => rest.replaceAll(sequence, ''),
      renderText(report, { color }),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
    expect(rendered).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(rendered).toContain('\\x1b]0;owned\\x07\\x0a\\x9b2J');
    for (const line of rendered.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  }
});

test('unknown is written as unknown, never as 0 or nothing', () => {
  const report = analyse(
    fakeRecording({
      samples: [fakeSample({ second: 0, processes: [fakeProcess({ pid: 100, role: 'browser' })] })],
    }),
  );
  const rendered = renderText(report);
  expect(section(rendered, /^Memory/)).toMatch(/working set( +unknown){5}/);
  expect(section(rendered, /^Memory/)).toContain('peak: unknown');
  expect(section(rendered, /^Browser/)).toMatch(/browser +1( +unknown){4} +0\.0/);
  expect(section(rendered, /^Biggest/)).toMatch(/browser +100 +unknown +unknown +0\.0 +unknown/);
  expect(section(rendered, /^Recorder/)).toContain('CPU unknown');
});

test('no sample, no browser: still a report', () => {
  const rendered = renderText(analyse(fakeRecording({ samples: [] })));
  expect(rendered.split('\n')[0]).toBe('Unknown');
  expect(rendered).toContain('no browser process was seen');
  expect(rendered).toContain('0 samples');
});

test('colour is off unless asked for', () => {
  expect(text).not.toContain('\u001b');
  expect(renderText(analyse(goldenRecording()), { color: true })).toContain('\u001b[31mOut of');
});

const note = (code: Note['code'], message: string, second = 0): RecordingEvent => ({
  kind: 'note',
  timeUnixMs: startUnixMs + second * 1000,
  code,
  message,
});

function commandEnded(exitCode: number | null, signal: string | null): RecordingEvent {
  return {
    kind: 'process_exit',
    timeUnixMs: startUnixMs + 1000,
    pid: 50,
    startTicks: 500,
    role: 'other',
    exitCode,
    signal,
    source: 'parent',
  };
}

test.each<[number | null, string | null, RecordingEvent[], string]>([
  [1, null, [], 'ended with its command (exit code 1)'],
  [0, null, [], 'ended with its command (exit code 0)'],
  [null, 'SIGKILL', [], 'ended with its command (SIGKILL)'],
  [
    null,
    'SIGINT',
    [note('stop_asked', 'SIGINT, passed on')],
    'ended with its command, stopped by a signal (SIGINT)',
  ],
])('command end %s %s', (exitCode, signal, notes, words) => {
  const events = [commandEnded(exitCode, signal), ...notes];
  const report = analyse(
    fakeRecording({
      samples: [fakeSample({ second: 0 })],
      events,
      facts: { endReason: 'command_exited' },
    }),
  );
  const lines = section(renderText(report), /^Session/);
  expect(lines.replaceAll(/\s+/g, ' ')).toContain(words);
});

test('a command whose end is not recorded', () => {
  const facts = { endReason: 'command_exited' as const };
  const report = analyse(fakeRecording({ samples: [fakeSample({ second: 0 })], facts }));
  expect(section(renderText(report), /^Session/)).toMatch(/ended with its command$/m);
});

test('without a sample, whether there were OOM kills is unknown', () => {
  const rendered = renderText(analyse(fakeRecording({ samples: [] })));
  expect(section(rendered, /^OOM kills/)).toBe('  unknown');
});

function memoryOf(seconds: number, fullMsPerSecond: number | null): string {
  const samples = Array.from({ length: seconds + 1 }, (_, second) =>
    fakeSample({
      second,
      pressure: { memoryFullMs: fullMsPerSecond === null ? null : fullMsPerSecond * second },
    }),
  );
  return section(renderText(analyse(fakeRecording({ samples }))), /^Memory/);
}

test.each([
  ['8 s of recording', 8, 20, '(PSI full): 2.0 % over 8 s'],
  ['10 s of recording', 10, 20, '(PSI full): at most 2.0 % of 10 s'],
  ['PSI that cannot be read', 20, null, '(PSI full): unknown'],
])('pressure in %s', (_, seconds, fullMsPerSecond, words) => {
  expect(memoryOf(seconds, fullMsPerSecond)).toContain(words);
});

test('one sample has no share of time to tell', () => {
  expect(memoryOf(0, 20)).not.toContain('PSI');
});

test('why working set and available need not add up', () => {
  expect(memoryOf(1, 0)).toContain(
    '  Working set is charged memory less inactive file cache; available counts more\n  cache as free: the two need not add up to the limit.',
  );
});

test('records of the kernel log that were overwritten are told where none is known', () => {
  const message = 'The kernel log was overwritten before it was read: 41 records lost in all; …';
  const samples = [0, 1].map((second) => fakeSample({ second }));
  const events = [note('kmsg_overrun', message, 1)];
  expect(section(renderText(analyse(fakeRecording({ samples, events }))), /^OOM kills/)).toBe(
    '  none in the kernel log, of which some records were overwritten',
  );
});

test('somebody else’s Chromium is listed by its name, not as a role of the browser', () => {
  const tab = fakeProcess({ pid: 210, role: 'renderer', browserPid: null, rssBytes: 5 * mib });
  const samples = [fakeSample({ second: 0, processes: [tab] })];
  const biggest = section(renderText(analyse(fakeRecording({ samples }))), /^Biggest/);
  expect(biggest).toMatch(/chromium +210 +unknown +5\.00 MiB/);
  expect(biggest).not.toContain('renderer');
});
