import type { Verification } from '../store/verify/verification.ts';
import type { Repair } from './repair.ts';

/** The answer of `verify --json`. Fields are only ever added. */
export function verifyJson(verification: Verification, repair: Repair | null = null): string {
  const { path, sizeBytes, isWhole, isLive, checked, problems, remarks } = verification;
  const answer = {
    schemaVersion: 1,
    file: path,
    sizeBytes,
    isWhole,
    isLive,
    checked,
    problems,
    remarks,
    contents: contentsOf(verification),
    repair: repair === null ? null : repairOf(repair),
  };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function contentsOf({ contents }: Verification) {
  if (contents === null) return null;
  const { facts, gaps } = contents;
  return {
    sessionId: facts.id,
    startedUnixMs: facts.startedUnixMs,
    endedUnixMs: facts.endedUnixMs,
    endReason: facts.endReason,
    samples: contents.sampleCount,
    firstUnixMs: contents.firstUnixMs,
    lastUnixMs: contents.lastUnixMs,
    processes: contents.processCount,
    events: contents.eventCount,
    gaps: gaps.map(({ fromUnixMs, toUnixMs, gap }) => ({ fromUnixMs, toUnixMs, kind: gap })),
  };
}

function repairOf(repair: Repair) {
  const { kind } = repair;
  if (kind === 'nothing') {
    const { code, message } = repair.reason;
    return { file: null, kind, code, message };
  }
  const { file } = repair;
  if (kind === 'copy') return { file, kind };
  const { saved, ...lost } = repair.salvage;
  return { file, kind, ...lost, contents: contentsOf(saved) };
}
