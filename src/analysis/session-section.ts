import type { Recording } from '../model/recording.ts';
import type { LimitSource } from '../model/sample.ts';
import type { EndReason } from '../model/session.ts';
import { browserVersionOf } from './browser-version.ts';

/** What was recorded, where, and how it ended. */
export interface SessionSection {
  id: string;
  source: string;
  labels: Readonly<Record<string, string>>;
  startedUnixMs: number;
  endedUnixMs: number | null;
  /** Null while recording; `lost`: the recorder ended without a word. */
  endReason: EndReason | null;
  isLive: boolean;
  collectorVersion: string;
  machine: {
    bootId: string | null;
    kernel: string;
    cpuCount: number;
    memoryTotalBytes: number;
    limitBytes: number;
    limitSource: LimitSource;
    /** As the browser told it, else from its processes; null when unknown or when there are two. */
    browserVersion: string | null;
    /** `portable`: no PSS, no pressure and no OOM records, because there is no /proc. */
    sampleSource: 'proc' | 'portable';
  };
}

export function sessionSection(recording: Recording): SessionSection {
  const { facts, isLive } = recording;
  const { machine } = facts;
  return {
    id: facts.id,
    source: facts.source,
    labels: facts.labels,
    startedUnixMs: facts.startedUnixMs,
    endedUnixMs: facts.endedUnixMs,
    endReason: facts.endReason ?? (isLive ? null : 'lost'),
    isLive,
    collectorVersion: facts.collectorVersion,
    machine: {
      bootId: machine.bootId,
      kernel: machine.kernel,
      cpuCount: machine.cpuCount,
      memoryTotalBytes: machine.memoryTotalBytes,
      limitBytes: machine.limitBytes,
      limitSource: machine.limitSource,
      browserVersion: machine.browserVersion ?? browserVersionOf(recording.processes()),
      sampleSource: machine.sampleSource,
    },
  };
}
