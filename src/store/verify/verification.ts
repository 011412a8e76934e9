import type { Gap } from '../../model/event.ts';
import type { SessionFacts } from '../../model/session.ts';

/** What {@link verifyFile} found out about a file. */
export interface Verification {
  path: string;
  sizeBytes: number;
  /** Nothing is damaged or missing, as far as can be told. */
  isWhole: boolean;
  /** A recorder writes it at this moment. */
  isLive: boolean;
  /** `every_byte`: against the checksums that it carries. `structure`: as SQLite and we read it. */
  checked: 'every_byte' | 'structure';
  problems: readonly Problem[];
  /** What is no damage, and good to know. */
  remarks: readonly string[];
  /** Null where it cannot be read. */
  contents: Contents | null;
}

export type ProblemCode =
  | 'bytes_changed'
  | 'log_missing'
  | 'log_empty'
  | 'log_unfinished'
  | 'log_damaged'
  | 'structure'
  | 'contents'
  | 'samples_missing';

export interface Problem {
  code: ProblemCode;
  /** One sentence without a full stop, that goes on after the name of the file. */
  message: string;
}

/** What is in a recording. */
export interface Contents {
  facts: SessionFacts;
  sampleCount: number;
  firstUnixMs: number | null;
  lastUnixMs: number | null;
  processCount: number;
  eventCount: number;
  gaps: readonly Gap[];
}
