import { cleanRunNeeded, shareLowerBound } from './clopper-pearson.ts';
import type { History } from './history.ts';
import type { SessionDemand } from './session-demand.ts';
import { kindOf, usableBytes } from './tier-memory.ts';

export interface TierFit {
  bytes: number;
  /** Of it a session may use so much. Where machines and limits are mixed, the smaller. */
  usableBytes: number;
  /** Measured, and would fit. */
  sessionsFit: number;
  /**
   * Of these, how many still grew when their recording ended, and at that pace would not have fitted for
   * long. Fewer than there may be where of some it is not known whether they grew.
   */
  sessionsOutgrowing: number;
  /**
   * At least this share of all such sessions fits, at the asked confidence; 0 to 1. 0, which is always
   * true, where demand grows: then nothing is promised.
   */
  fitLowerBound: number;
  /** Known to need more than is usable. */
  wouldHaveOomed: number;
  /** They met a smaller limit, and what they would have needed nobody knows: counted as not fitting. */
  unknown: number;
}

/** How many of the sessions fit a tier, and of how many more that may be said. */
export function tierFit(
  tierBytes: number,
  sessions: readonly SessionDemand[],
  { confidence, history }: { confidence: number; history: Pick<History, 'kind'> },
): TierFit {
  const usable = {
    machine: usableBytes(tierBytes, 'machine', sessions),
    cgroup: usableBytes(tierBytes, 'cgroup', sessions),
  };
  const counts = { fit: 0, tooLarge: 0, unknown: 0 };
  let outgrowing = 0;
  for (const session of sessions) {
    const usableBytes = usable[kindOf(session)];
    const found = outcome(session, usableBytes);
    counts[found]++;
    if (found === 'fit' && grownBytes(session) > usableBytes) outgrowing++;
  }
  const kinds = new Set(sessions.map(kindOf));
  return {
    bytes: tierBytes,
    usableBytes: kinds.has('machine') || kinds.size === 0 ? usable.machine : usable.cgroup,
    sessionsFit: counts.fit,
    sessionsOutgrowing: outgrowing,
    fitLowerBound:
      history.kind === 'growing'
        ? 0
        : shareLowerBound({ hits: counts.fit, total: sessions.length }, confidence),
    wouldHaveOomed: counts.tooLarge,
    unknown: counts.unknown,
  };
}

/**
 * A session that met a smaller limit says nothing of a larger tier. Where enough sessions ran on the
 * largest one to prove what is asked, those are judged alone; which they are depends on their limits,
 * and never on what they needed.
 */
export function tellingSessions(
  sessions: readonly SessionDemand[],
  asked: { fitRatio: number; confidence: number },
): readonly SessionDemand[] {
  const largest = sessions.reduce((most, { limitBytes }) => Math.max(most, limitBytes), 0);
  // Machines of one size differ a little.
  const isLarge = ({ limitBytes }: SessionDemand) => limitBytes >= 0.95 * largest;
  if (!sessions.some((session) => session.isCensored && !isLarge(session))) return sessions;
  const onLargest = sessions.filter(isLarge);
  return onLargest.length >= cleanRunNeeded(asked.fitRatio, asked.confidence)
    ? onLargest
    : sessions;
}

/** What it would have come to, had it gone on for as long as its growth is taken to. */
function grownBytes({ demandBytes, growth }: SessionDemand): number {
  if (growth === null) return demandBytes;
  return demandBytes + (growth.bytesPerMinute * growth.aheadMs) / 60_000;
}

function outcome(session: SessionDemand, usable: number): 'fit' | 'tooLarge' | 'unknown' {
  if (!session.isCensored) return session.demandBytes <= usable ? 'fit' : 'tooLarge';
  // It used up its limit, whatever the last sample before that says.
  return Math.max(session.demandBytes, session.limitBytes) > usable ? 'tooLarge' : 'unknown';
}
