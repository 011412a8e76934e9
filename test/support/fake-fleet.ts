import type { FleetSession } from '../../src/model/fleet-session.ts';
import { Sketch } from '../../src/model/sketch.ts';
import { mib, startUnixMs } from './fake-sample.ts';

/** A session of a fleet that ran on a machine of 1 GiB, one an hour. */
export function fakeFleetSession(at: number, parts: Partial<FleetSession> = {}): FleetSession {
  const demandBytes = parts.demandBytes ?? 500 * mib;
  const workingSetBytes = new Sketch();
  workingSetBytes.add(demandBytes, 1000);
  const startedUnixMs = startUnixMs + at * 3_600_000;
  return {
    id: `session-${at}`,
    file: `/recordings/${at}.db`,
    source: 'local',
    labels: {},
    version: null,
    tier: '1GiB',
    startedUnixMs,
    lastUnixMs: startedUnixMs + 60_000,
    endReason: 'duration',
    lastSequence: 60,
    recordedMs: 60_000,
    demandBytes,
    demandSource: 'samples',
    isCensored: false,
    isCutOff: false,
    limitBytes: 978 * mib,
    limitSource: 'machine',
    growth: { bytesPerMinute: 0, aheadMs: 0 },
    availableMinBytes: 978 * mib - demandBytes,
    oomKillCount: 0,
    deathCount: 0,
    verdict: 'healthy',
    summary: null,
    gapCount: 0,
    gapMs: 0,
    workingSetBytes,
    utilizationRatio: null,
    ...parts,
  };
}
