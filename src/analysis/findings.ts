import type { Note } from '../model/event.ts';
import type { BrowserReport, RoleReport } from './browser.ts';
import type { Coverage } from './coverage.ts';
import type { DeathReport } from './deaths.ts';
import type { KernelLog } from './kernel-log.ts';
import type { MemoryReport } from './memory.ts';
import type { OomCounts, OomKillReport } from './oom-kills.ts';
import type { PressureReport } from './pressure.ts';
import type { ProcessReport } from './processes.ts';
import type { RecorderReport } from './recorder-cost.ts';
import type { SessionSection } from './session-section.ts';
import type { StallReport } from './stall.ts';

/** All that the report says except what to make of it: what the verdict is made from. */
export interface Findings extends KernelLog {
  schemaVersion: 1;
  session: SessionSection;
  coverage: Coverage;
  memory: MemoryReport;
  pressure: PressureReport;
  /** Stretches in which the session stood at its limit and did nothing else. */
  stalls: StallReport[];
  browser: BrowserReport;
  roles: RoleReport[];
  processes: ProcessReport[];
  oomKills: OomKillReport[];
  oomKillsBeforeStart: OomKillReport[];
  oomCounts: OomCounts;
  deaths: DeathReport[];
  recorder: RecorderReport;
  notes: NoteReport[];
}

export type NoteReport = Pick<Note, 'timeUnixMs' | 'message'> & {
  code: Note['code'] | 'limit_change';
};
