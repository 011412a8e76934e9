import type { Recording } from '../../../model/recording.ts';
import type { MachineFacts, SessionFacts } from '../../../model/session.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { identityOf } from '../../session-identity.ts';
import { fieldColumns, type Table, tableOf } from './table.ts';

interface Stretch {
  sampleCount: number;
  firstUnixMs: number | null;
  lastUnixMs: number | null;
}

type SessionRecord = Omit<SessionFacts, 'id' | 'machine' | 'labels'> &
  MachineFacts &
  Stretch & { tier: string; provider: string; labels: string };

export const sessionTable: Table = tableOf<SessionRecord>({
  name: 'sessions',
  help: 'a recording: where, when, of what, and how it ended',
  columns: fieldColumns<keyof SessionRecord>({
    source: 'text',
    provider: 'text',
    tier: 'text',
    startedUnixMs: 'instant',
    endedUnixMs: 'instant',
    endReason: 'text',
    intervalMs: 'integer',
    sampleCount: 'integer',
    firstUnixMs: 'instant',
    lastUnixMs: 'instant',
    limitBytes: 'integer',
    limitSource: 'text',
    memoryTotalBytes: 'integer',
    cpuCount: 'integer',
    browserVersion: 'text',
    hostName: 'text',
    kernel: 'text',
    bootId: 'text',
    sampleSource: 'text',
    clockTicksPerSecond: 'integer',
    pageSizeBytes: 'integer',
    collectorVersion: 'text',
    labels: 'text',
  }),
  records: (recording, range) => [sessionRecord(recording, range)],
});

function sessionRecord(recording: Recording, range: TimeRange): SessionRecord {
  const { id: _id, machine, labels, ...facts } = recording.facts;
  const identity = identityOf(recording.facts);
  return {
    ...facts,
    ...machine,
    labels: JSON.stringify(labels),
    tier: identity['headroom.tier'] ?? 'unknown',
    provider: identity['headroom.provider'] ?? facts.source,
    sampleCount: recording.tickCount(range),
    firstUnixMs: recording.firstTick()?.timeUnixMs ?? null,
    lastUnixMs: recording.lastTick()?.timeUnixMs ?? null,
  };
}
