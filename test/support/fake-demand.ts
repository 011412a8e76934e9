import type { SessionDemand } from '../../src/analysis/sizing/session-demand.ts';
import { mib, startUnixMs } from './fake-sample.ts';

/** Sessions of these demands in MiB, one an hour, each on a machine that is sold as 1 GiB. */
export function fakeDemands(
  demandsMib: readonly number[],
  parts: Partial<SessionDemand> = {},
): SessionDemand[] {
  return demandsMib.map((demandMib, at) =>
    fakeDemand(at, { demandBytes: demandMib * mib, ...parts }),
  );
}

export function fakeDemand(at: number, parts: Partial<SessionDemand> = {}): SessionDemand {
  return {
    id: `session-${at}`,
    file: `${at}.db`,
    startedUnixMs: startUnixMs + at * 3_600_000,
    labels: {},
    version: null,
    demandBytes: 600 * mib,
    source: 'samples',
    isCensored: false,
    isCutOff: false,
    // MemTotal of case 099.
    limitBytes: 1_002_236 * 1024,
    limitSource: 'machine',
    growth: { bytesPerMinute: 0, aheadMs: 0 },
    ...parts,
  };
}
