import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TopProcess, TopView } from '../../../src/analysis/top/top-view.ts';
import { cellsOf } from '../../../src/report/terminal/text-width.ts';
import type { TopLook } from '../../../src/report/terminal/top-look.ts';
import { topScreen } from '../../../src/report/terminal/top-screen.ts';
import { mib, startUnixMs } from '../../support/fake-sample.ts';

const unknown = {
  pssBytes: null,
  rssBytes: null,
  cpuRatio: null,
  growthBytesPerMinute: null,
  isLeak: false,
};

const process = (parts: Partial<TopProcess> & Pick<TopProcess, 'pid'>): TopProcess => ({
  ...unknown,
  role: 'other',
  comm: 'node',
  state: 'S',
  inSession: null,
  ...parts,
});

const view: TopView = {
  source: 'task.db',
  state: 'live',
  timeUnixMs: startUnixMs,
  memory: {
    limitBytes: 1024 * mib,
    limitSource: 'cgroup_v2',
    usedBytes: 512 * mib,
    availableBytes: 512 * mib,
    workingSetBytes: 700 * mib,
  },
  pressure: {
    memorySomeRatio: 0.125,
    memoryFullRatio: 0.004,
    cpuSomeRatio: null,
    ioSomeRatio: 0,
    ioFullRatio: 0,
  },
  browser: { processCount: 3, pssBytes: 330 * mib, rssSumBytes: 700 * mib },
  roles: [
    {
      ...unknown,
      role: 'browser',
      processCount: 1,
      pssBytes: 130 * mib,
      rssBytes: 220 * mib,
      cpuRatio: 0.02,
      growthBytesPerMinute: 0,
    },
    {
      role: 'renderer',
      processCount: 2,
      pssBytes: 200 * mib,
      rssBytes: 480 * mib,
      cpuRatio: 1.5,
      growthBytesPerMinute: 12 * mib,
      isLeak: true,
    },
  ],
  isMachineShared: false,
  processes: [
    process({
      pid: 120,
      role: 'renderer',
      comm: 'chromium',
      pssBytes: 150 * mib,
      rssBytes: 300 * mib,
      cpuRatio: 1.4,
      growthBytesPerMinute: 12 * mib,
      isLeak: true,
    }),
    process({
      pid: 100,
      role: 'browser',
      comm: 'chromium',
      pssBytes: 130 * mib,
      rssBytes: 220 * mib,
      cpuRatio: 0.02,
      growthBytesPerMinute: 0,
    }),
    process({ pid: 7, comm: '浏览器浏览器\u001b[31m', rssBytes: 90 * mib, cpuRatio: 2.5 }),
    process({ pid: 8 }),
  ],
  events: [
    {
      timeUnixMs: startUnixMs - 5000,
      isBad: false,
      inSession: true,
      words: 'renderer 90 ended with code 0',
    },
    {
      timeUnixMs: startUnixMs - 1000,
      isBad: true,
      inSession: true,
      words: 'OOM kill of a\nb, pid 121, 300 MiB resident, scope cgroup',
    },
  ],
};

const look: TopLook = {
  columns: 80,
  rows: 24,
  sort: 'memory',
  showsRoles: true,
  isPaused: false,
  showsHelp: false,
};

const texts = (parts: Partial<TopLook> = {}, shown: TopView | null = view) =>
  topScreen(shown, { ...look, ...parts }).map(({ text }) => text);

describe('the live view', () => {
  test('80×24', () => {
    expect(texts()).toEqual([
      'headroom top  live  2026-11-29T14:00:00Z  task.db',
      '[██████████████████████████████████··································] 50 % used',
      'used 512 MiB  available 512 MiB  limit 1.00 GiB (cgroup)',
      'pressure  memory some 13 % full 0.4 %  io some 0 % full 0 %  cpu some -',
      'growing renderer 120 +12.0 MiB a minute',
      'ROLE       PROCS       PSS       RSS    CPU  GROW/MIN',
      'browser        1   130 MiB   220 MiB  2.0 %       0 B',
      'renderer       2   200 MiB   480 MiB  150 % +12.0 MiB',
      'all of it      3   330 MiB   700 MiB',
      '    PID ROLE            PSS       RSS    CPU  GROW/MIN COMMAND',
      '    120 renderer    150 MiB   300 MiB  140 % +12.0 MiB chromium',
      '    100 browser     130 MiB   220 MiB  2.0 %       0 B chromium',
      '      7 -                 -  90.0 MiB  250 %         - 浏览器浏览器\\x1b[31m',
      '      8 -                 -         -      -         - node',
      '13:59:55Z  renderer 90 ended with code 0',
      '13:59:59Z  OOM kill of a\\x0ab, pid 121, 300 MiB resident, scope cgroup',
      'by memory  q quit  m memory  p CPU  g growth  r roles  space pause  ? help',
    ]);
  });

  test('40×10: fewer columns, no roles, the last event', () => {
    expect(texts({ columns: 40, rows: 10 })).toEqual([
      'headroom top  live  2026-11-29T14:00:00…',
      '[██████████████··············] 50 % used',
      'used 512 MiB  available 512 MiB  limit …',
      'pressure  memory some 13 % full 0.4 %  …',
      '    PID    MEMORY    CPU COMMAND',
      '    120   150 MiB  140 % chromium',
      '    100   130 MiB  2.0 % chromium',
      '      7  90.0 MiB  250 % 浏览器浏览器\\x…',
      '13:59:59Z  OOM kill of a\\x0ab, pid 121,…',
      'by memory  q quit  ? help',
    ]);
  });

  test('keys sort; what is not known is last', () => {
    const pids = (parts: Partial<TopLook>) =>
      texts({ showsRoles: false, ...parts })
        .filter((text) => /^ +\d/.test(text))
        .map((text) => Number(text.slice(0, 7)));
    expect(pids({})).toEqual([120, 100, 7, 8]);
    expect(pids({ sort: 'cpu' })).toEqual([7, 120, 100, 8]);
    expect(pids({ sort: 'growth' })).toEqual([120, 100, 7, 8]);
  });

  test('strangers’ processes are last and marked, and not among the growing ones', () => {
    const stranger = process({
      pid: 900,
      role: 'renderer',
      comm: 'chromium',
      inSession: false,
      rssBytes: 847 * mib,
      growthBytesPerMinute: 90 * mib,
    });
    const shown = { ...view, processes: [stranger, ...view.processes] };
    for (const sort of ['memory', 'cpu', 'growth'] as const) {
      const lines = texts({ sort }, shown);
      expect(lines.filter((text) => /^ +\d/.test(text)).at(-1)).toBe(
        '    900 renderer          -   847 MiB      - +90.0 MiB † chromium',
      );
      expect(lines).toContain('growing renderer 120 +12.0 MiB a minute');
    }
  });

  test('roles off, pause, help, no sample, no browser', () => {
    expect(texts({ showsRoles: false }).some((text) => text.startsWith('ROLE'))).toBe(false);
    expect(texts({ isPaused: true })[0]).toContain('paused');
    expect(texts({ showsHelp: true })[0]).toBe('q      quit');
    expect(texts({}, null)).toEqual([
      'waiting for the first sample',
      'by memory  q quit  m memory  p CPU  g growth  r roles  space pause  ? help',
    ]);
    const bare = { ...view, roles: [], events: [], processes: [] };
    expect(texts({}, bare)[4]).toBe('no browser is running');
  });

  test('warns by tone of what is nearly used up, and of a kill', () => {
    const tones = (shown: TopView) => topScreen(shown, look).map(({ tone }) => tone);
    const memory = { ...view.memory, availableBytes: 50 * mib };
    expect(tones(view)[1]).toBe('good');
    expect(tones({ ...view, memory })[1]).toBe('bad');
    expect(tones(view).at(-2)).toBe('bad');
  });

  test('never more than the terminal has, whatever a process is called', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.string({ unit: 'binary', maxLength: 15 }), { maxLength: 60 }),
        (columns, rows, names) => {
          const processes = names.map((comm, pid) => process({ pid, comm }));
          const events = names.map((words) => ({
            timeUnixMs: null,
            isBad: false,
            inSession: null,
            words,
          }));
          const lines = texts({ columns, rows }, { ...view, processes, events });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) {
            expect(cellsOf(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
