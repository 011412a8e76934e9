import { existsSync, statSync } from 'node:fs';
import { scanLog } from '../sqlite-file/log-scan.ts';
import type { Problem } from './verification.ts';

/** What is known of a recording besides its log. */
interface Recorded {
  /** The file says that it is written through a log. */
  usesLog: boolean;
  pageSizeBytes: number;
  hasEnded: boolean;
  sampleCount: number;
}

// Only where the head of a log is damaged does its page size come from elsewhere; then it is damaged.
const anyPageSizeBytes = 4096;

/** Whether a part of the log beside a recording, which nobody may be writing to, hides what follows. */
export function isLogDamaged(path: string): boolean {
  return scanLog(path, anyPageSizeBytes)?.state === 'damaged';
}

/** What is wrong with the log beside a recording that nobody writes to, or with its absence. */
export function checkLog(path: string, recorded: Recorded): Problem | null {
  const log = `${path}-wal`;
  if (!existsSync(log)) {
    if (!recorded.usesLog || recorded.hasEnded) return null;
    return {
      code: 'log_missing',
      message: `was copied without its log ${log}: the newest samples are not here`,
    };
  }
  if (statSync(log).size === 0) {
    // It is only empty before the first sample of a run.
    if (recorded.hasEnded || recorded.sampleCount === 0) return null;
    return {
      code: 'log_empty',
      message: `has an empty log ${log}: the newest samples are not here`,
    };
  }
  switch (scanLog(path, recorded.pageSizeBytes)?.state) {
    case 'damaged':
      return {
        code: 'log_damaged',
        message: `has a damaged log ${log}: what comes after the damage is not read`,
      };
    case 'unfinished':
      return {
        code: 'log_unfinished',
        message: `has a log ${log} that ends within a sample: its recorder was killed in this very moment, its disk was full, or the log was cut when it was copied`,
      };
    default:
      return null;
  }
}
