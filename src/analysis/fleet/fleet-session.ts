import type { FleetSession } from '../../model/fleet-session.ts';
import type { MemoryWait, Recording, RecordingGist } from '../../model/recording.ts';
import type { SessionFacts } from '../../model/session.ts';
import { tierOf } from '../../model/tier.ts';
import { missingMs } from '../coverage.ts';
import { type Judgement, judgementOf } from '../judgement.ts';
import { pressureWindowMs } from '../pressure.ts';
import { isNearLimit, sessionDemand, workingSetWindows } from '../sizing/session-demand.ts';
import { stallRefaultsPerSecond, stallWaitingRatio, stallWindowMs } from '../stall.ts';
import { highStallRatio } from '../verdict.ts';

/**
 * What a fleet keeps of a recording; null when it does not tell how much memory was used. Out of its
 * rollups, its events and how its processes ended; it is read as a whole only where these leave open
 * whether something happened.
 */
export function fleetSessionOf(
  recording: Recording,
  facts: SessionFacts = recording.facts,
): FleetSession | null {
  const gist = recording.gist();
  const { highWater: water } = gist;
  let read: Judgement | null = null;
  const judgement = () => {
    read ??= judgementOf(recording);
    return read;
  };
  const demand = sessionDemand(recording, {
    facts,
    water,
    judgement,
    windows: () => gist.workingSetMinutes ?? workingSetWindows(recording),
    gaps: () => gist.gaps,
  });
  const { workingSetBytes } = gist;
  if (demand === null || workingSetBytes === null) return null;
  return {
    id: facts.id,
    file: recording.path,
    source: facts.source,
    labels: facts.labels,
    version: demand.version,
    // Of a session whose cgroup was found later the facts have the limit of another one.
    tier: facts.labels['tier'] ?? tierOf(water.sinceUnixMs === null ? facts : { machine: demand }),
    startedUnixMs: facts.startedUnixMs,
    lastUnixMs: gist.lastUnixMs ?? facts.startedUnixMs,
    endReason: facts.endReason,
    lastSequence: gist.lastSequence,
    recordedMs: workingSetBytes.count,
    demandBytes: demand.demandBytes,
    demandSource: demand.source,
    isCensored: demand.isCensored,
    isCutOff: demand.isCutOff,
    limitBytes: demand.limitBytes,
    limitSource: demand.limitSource,
    growth: demand.growth,
    availableMinBytes: water.availableBytes,
    ...(isPlain(recording, gist) ? plainEnd(facts) : endOf(judgement())),
    gapCount: gist.gaps.length,
    gapMs: gist.gaps.reduce((sum, gap) => sum + missingMs(gap), 0),
    workingSetBytes,
    utilizationRatio: gist.utilizationRatio,
  };
}

/**
 * Whether nothing happened of which a verdict could speak: no kill, no death that needs a cause, memory
 * never short, and in no ten seconds as much waiting for it as makes pressure or a stall.
 */
function isPlain(recording: Recording, gist: RecordingGist): boolean {
  const { hasOddEvent, highWater: water, memoryWait } = gist;
  if (hasOddEvent || water.availableBytes === null || isNearLimit(water)) return false;
  return isLittle(memoryWait) || isLittle(recording.worstMinutes());
}

function isLittle({ fullMs, someMs, refaultCount }: MemoryWait): boolean {
  const isBelow = (figure: number | null, bound: number) => figure === null || figure < bound;
  // A counter that went back tells nothing.
  if ([fullMs, someMs, refaultCount].some((figure) => (figure ?? 0) < 0)) return false;
  const mayHaveStalled =
    !isBelow(someMs, stallWaitingRatio * stallWindowMs) &&
    !isBelow(refaultCount, (stallRefaultsPerSecond * stallWindowMs) / 1000);
  return isBelow(fullMs, highStallRatio * pressureWindowMs) && !mayHaveStalled;
}

type End = Pick<FleetSession, 'oomKillCount' | 'deathCount' | 'verdict' | 'summary'>;

function plainEnd({ endReason }: SessionFacts): End {
  const isLost = endReason === 'lost';
  return {
    oomKillCount: 0,
    deathCount: 0,
    verdict: isLost ? 'unknown' : 'healthy',
    summary: isLost ? 'The recorder ended without a word.' : null,
  };
}

function endOf({ grounds: { deaths, oomCounts, oomKills }, kind, summary }: Judgement): End {
  const recorded = oomKills.filter(({ inSession }) => inSession).length;
  const counted = (oomCounts.cgroup ?? 0) - oomCounts.cgroupOutside;
  return {
    oomKillCount: Math.max(recorded, counted),
    deathCount: deaths.filter((death) => death.verdict !== 'exited').length,
    verdict: kind,
    summary,
  };
}
