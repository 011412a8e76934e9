import type { SessionReport } from '../analysis/session-report.ts';
import type { VerdictKind } from '../analysis/verdict.ts';

/** What a verdict is called above its sentence, and its colour. */
export interface Headline {
  words: string;
  tone: 'good' | 'warning' | 'bad';
}

export const headlines: Readonly<Record<VerdictKind, Headline>> = {
  healthy: { words: 'Healthy', tone: 'good' },
  pressure: { words: 'Memory pressure', tone: 'warning' },
  kernel_oom: { words: 'Out of memory: killed by the kernel', tone: 'bad' },
  memory_stall: { words: 'Memory stall', tone: 'bad' },
  v8_heap_limit: { words: 'V8 heap limit', tone: 'bad' },
  chromium_oom: { words: 'Out of memory inside Chromium', tone: 'bad' },
  shm_full: { words: '/dev/shm full', tone: 'bad' },
  crash: { words: 'Crash', tone: 'bad' },
  killed: { words: 'Killed from outside', tone: 'bad' },
  userspace_oom: { words: 'Killed by a user-space OOM daemon', tone: 'bad' },
  unknown: { words: 'Unknown', tone: 'warning' },
};

/** Of one report: what is healthy in a part, or only so far, is not called healthy without saying so. */
export function headlineOf({ growth, part, verdict }: SessionReport): Headline {
  const { words, tone } = headlines[verdict.kind];
  const isGrowing = verdict.kind === 'healthy' && growth.atEnd !== null;
  const isAllTold = part === null || part.outside.length === 0;
  return {
    words: `${words}${isGrowing ? ' so far, and still growing' : ''}${part === null ? '' : ' (a part of the recording)'}`,
    tone: tone === 'good' && (isGrowing || !isAllTold) ? 'warning' : tone,
  };
}
