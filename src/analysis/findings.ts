import type { AgentOsReport } from './agentos.ts';
import type { BrowserReport, RoleReport } from './browser.ts';
import type { Coverage } from './coverage.ts';
import type { CurveReport } from './curve.ts';
import type { DeathReport } from './deaths.ts';
import type { NoteReport } from './grounds.ts';
import type { GrowthReport } from './growth-report.ts';
import type { KernelLog } from './kernel-log.ts';
import type { MemoryReport } from './memory.ts';
import type { OomCounts, OomKillReport } from './oom-kills.ts';
import type { PagesSection } from './pages.ts';
import type { PartReport } from './part.ts';
import type { PopulationReport } from './population.ts';
import type { PressureReport } from './pressure.ts';
import type { ProcessReport } from './processes.ts';
import type { ReclaimReport } from './reclaim.ts';
import type { RecorderReport } from './recorder-cost.ts';
import type { SessionSection } from './session-section.ts';
import type { StallReport } from './stall.ts';
import type { TimelineEntry } from './timeline.ts';
import type { UsableHeadroom } from './usable-headroom.ts';
import type { LeadReport, WarningReport } from './warnings.ts';

/** All that the report says except what to make of it: what the verdict is made from. */
export interface Findings extends KernelLog, PagesSection {
  schemaVersion: 1;
  session: SessionSection;
  /** Null where the report is about all that is recorded. */
  part: PartReport | null;
  coverage: Coverage;
  memory: MemoryReport;
  pressure: PressureReport;
  reclaim: ReclaimReport;
  /** Stretches in which the session stood at its limit and did nothing else. */
  stalls: StallReport[];
  /** When somebody who watched would have been warned, and how long before each kill or stall. */
  warnings: WarningReport[];
  leads: LeadReport[];
  growth: GrowthReport;
  curve: CurveReport | null;
  timeline: TimelineEntry[];
  /** Null where PSS is not known. */
  usableHeadroom: UsableHeadroom | null;
  browser: BrowserReport;
  roles: RoleReport[];
  processes: ProcessReport[];
  population: PopulationReport;
  /** Null where no VM of agentOS was recorded. */
  agentOs: AgentOsReport | null;
  oomKills: OomKillReport[];
  oomKillsBeforeStart: OomKillReport[];
  oomCounts: OomCounts;
  deaths: DeathReport[];
  recorder: RecorderReport;
  notes: NoteReport[];
}
