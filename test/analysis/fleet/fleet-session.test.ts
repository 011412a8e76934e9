import { afterAll, expect, test } from 'vitest';
import { fleetSessionOf } from '../../../src/analysis/fleet/fleet-session.ts';
import { analyse } from '../../../src/analysis/session-report.ts';
import type { ProcessExit, RecordingEvent } from '../../../src/model/event.ts';
import type { EndReason } from '../../../src/model/session.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { vmChange } from '../../support/agentos-vm.ts';
import { writeEventfulRecording } from '../../support/eventful-recording.ts';
import {
  fakeFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

interface Story {
  verdict: string;
  usedMib?: number;
  fullMsPerSecond?: number;
  /** With the twentieth of thirty samples; the browser is gone from then on. */
  end?: Partial<ProcessExit> & { of?: 'browser' | 'renderer' };
  events?: readonly RecordingEvent[];
  endReason?: EndReason | null;
  source?: string;
}

const middleUnixMs = startUnixMs + 20_000;

function exitOf({ of = 'browser', ...parts }: NonNullable<Story['end']>): ProcessExit {
  const pid = of === 'browser' ? 100 : 200;
  const how = { exitCode: null, signal: null, source: 'connector' } as const;
  const role = of === 'browser' ? 'browser' : 'renderer';
  const whose = { pid, startTicks: pid * 10, role, timeUnixMs: middleUnixMs } as const;
  return { kind: 'process_exit', ...whose, ...how, ...parts };
}

function record(file: string, story: Story): void {
  const { usedMib = 300, fullMsPerSecond = 0, end, events = [], endReason = 'duration' } = story;
  const { source = 'local' } = story;
  const facts = fakeFacts({ source, endedUnixMs: null, endReason: null });
  const writer = StoreWriter.open(file, facts);
  for (let second = 0; second < 30; second++) {
    const gone = end === undefined || second < 20 ? null : (end.of ?? 'browser');
    const happened = second !== 20 ? [] : end === undefined ? events : [exitOf(end), ...events];
    const sample = fakeSample({
      second,
      machine: {
        totalBytes: 978 * mib,
        freeBytes: (978 - usedMib) * mib,
        availableBytes: (978 - usedMib) * mib,
        inactiveFileBytes: 0,
        swapTotalBytes: 0,
      },
      pressure: { memoryFullMs: fullMsPerSecond * second, memorySomeMs: fullMsPerSecond * second },
      activity: { oomKillCount: 0, refaultFileCount: 0 },
      processes: (['browser', 'renderer'] as const)
        .filter((role) => role !== gone)
        .map((role) => fakeProcess({ pid: role === 'browser' ? 100 : 200, role })),
    });
    writer.writeSample(sample, happened);
  }
  const endedUnixMs = startUnixMs + 30_000;
  if (endReason !== null) writer.close({ endedUnixMs, endReason });
}

const lostVm: Partial<Story> = {
  source: 'agentos',
  events: [vmChange({ timeUnixMs: middleUnixMs, state: 'lost' })],
  endReason: 'vm_lost',
};

const kill = fakeOomKill({
  pid: 100,
  comm: 'chromium',
  scope: 'machine',
  timeUnixMs: middleUnixMs,
});

test.each<[string, Story]>([
  ['nothing happens', { verdict: 'healthy' }],
  ['a tab is closed', { verdict: 'healthy', end: { of: 'renderer', signal: 'SIGTERM' } }],
  ['the browser exits', { verdict: 'healthy', end: { exitCode: 0 } }],
  ['the browser is killed by somebody', { verdict: 'killed', end: { signal: 'SIGKILL' } }],
  ['the browser crashes', { verdict: 'crash', end: { signal: 'SIGSEGV' } }],
  ['a renderer crashes', { verdict: 'crash', end: { of: 'renderer', signal: 'SIGSEGV' } }],
  ['the browser vanishes', { verdict: 'unknown', end: { source: 'vanished' } }],
  ['a shell tells of 137', { verdict: 'unknown', end: { exitCode: 137 } }],
  ['the kernel kills', { verdict: 'kernel_oom', end: { signal: 'SIGKILL' }, events: [kill] }],
  ['the sidecar of a VM dies', { verdict: 'unknown', ...lostVm }],
  ['memory is nearly used up', { verdict: 'pressure', usedMib: 930 }],
  ['all wait for memory', { verdict: 'pressure', fullMsPerSecond: 60 }],
  ['some wait now and then', { verdict: 'healthy', fullMsPerSecond: 20 }],
])('%s: the verdict of the report', (name, { verdict, ...story }) => {
  const file = folder.file(`${name}.db`);
  record(file, { verdict, ...story });
  using recording = openRecording(file);
  expect(analyse(recording).verdict.kind).toBe(verdict);
  expect(fleetSessionOf(recording)?.verdict).toBe(verdict);
});

test('a recorder that was lost: not known, as in the report', () => {
  const file = folder.file('lost.db');
  record(file, { verdict: 'unknown', endReason: null });
  using recording = openRecording(file, { isAlive: () => false });
  expect(analyse(recording).verdict.kind).toBe('unknown');
  expect(fleetSessionOf(recording)).toMatchObject({ verdict: 'unknown', endReason: 'lost' });
});

test('an eventful session is read as a whole', () => {
  const file = folder.file('eventful.db');
  writeEventfulRecording(file, { tickCount: 90, processCount: 12 });
  using recording = openRecording(file);
  const { verdict } = analyse(recording);
  const { kind, summary } = verdict;
  expect(fleetSessionOf(recording)).toMatchObject({ verdict: kind, summary });
});

test('what a fleet keeps of a session', () => {
  const file = folder.file('kept.db');
  record(file, { verdict: 'healthy', usedMib: 400 });
  using recording = openRecording(file);
  const session = fleetSessionOf(recording);
  expect(session).toMatchObject({
    file,
    tier: '1GiB',
    version: null,
    startedUnixMs: startUnixMs,
    lastUnixMs: startUnixMs + 29_000,
    endReason: 'duration',
    lastSequence: 30,
    recordedMs: 30_000,
    demandBytes: 400 * mib,
    demandSource: 'samples',
    isCensored: false,
    isCutOff: false,
    limitBytes: 978 * mib,
    availableMinBytes: 578 * mib,
    oomKillCount: 0,
    deathCount: 0,
    summary: null,
    gapCount: 0,
    gapMs: 0,
  });
  expect(session?.workingSetBytes.max).toBe(400 * mib);
  expect(session?.utilizationRatio?.max).toBeCloseTo(400 / 978, 12);
});
