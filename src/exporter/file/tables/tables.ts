import { agentOsTable } from './agentos-table.ts';
import { eventTable } from './event-table.ts';
import { percentileTable } from './percentile-table.ts';
import { processSampleTable } from './process-sample-table.ts';
import { processTable } from './process-table.ts';
import { roleTable } from './role-table.ts';
import { sampleTable } from './sample-table.ts';
import { sessionTable } from './session-table.ts';
import { sketchTable } from './sketch-table.ts';
import type { Table } from './table.ts';

/** Every table that a recording can be written as (docs/exports.md). */
export const tables: readonly Table[] = [
  sessionTable,
  sampleTable,
  roleTable,
  processTable,
  processSampleTable,
  eventTable,
  percentileTable,
  sketchTable,
  agentOsTable,
];
