import type { SessionDemand } from './session-demand.ts';

const mib = 2 ** 20;

/**
 * What the tier itself needs, besides what is measured as demand. A session of which a tenth of the
 * limit stays available was never seen to be killed or to stall (docs/sizing.md), and more than 160 MiB
 * of what the kernel calls available was never seen to be unusable.
 */
const reserveRatio = 0.1;
const mostReserveBytes = 160 * mib;

/** What a session may use of a tier: of a machine of that size, or of a limit of that size. Bytes. */
export function usableBytes(
  tierBytes: number,
  kind: 'machine' | 'cgroup',
  sessions: readonly SessionDemand[],
): number {
  const total = kind === 'cgroup' ? tierBytes : machineTotal(tierBytes, sessions);
  return Math.floor(total - Math.min(reserveRatio * total, mostReserveBytes));
}

export function kindOf({ limitSource }: Pick<SessionDemand, 'limitSource'>): 'machine' | 'cgroup' {
  return limitSource === 'machine' ? 'machine' : 'cgroup';
}

/**
 * MemTotal of a machine that is sold as this size: as recorded on one, the smallest of them; else less
 * what Linux keeps for its tables of pages (64 bytes for each 4 KiB) and 32 MiB for itself.
 */
function machineTotal(tierBytes: number, sessions: readonly SessionDemand[]): number {
  let measured = Number.POSITIVE_INFINITY;
  for (const { limitBytes, limitSource } of sessions) {
    const isOfTier = limitBytes <= tierBytes && limitBytes >= 0.9 * tierBytes;
    if (limitSource === 'machine' && isOfTier) measured = Math.min(measured, limitBytes);
  }
  return Number.isFinite(measured) ? measured : tierBytes - tierBytes / 64 - 32 * mib;
}
