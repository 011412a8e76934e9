import type { LightHead } from '../../collector/light/light-head.ts';
import { headroomVersion } from '../../model/version.ts';
import type { CollectorRequest } from '../collector-state.ts';
import type { SessionFactsThere } from './session-facts.ts';

/** What a light sampler in a session is told, and hands through to its frames. */
export function lightHead(
  { sessionId, source, intervalMs, labels }: CollectorRequest,
  facts: SessionFactsThere,
  sampler: LightHead['sampler'],
): LightHead {
  const { bootId, kernel, hostName, cpuCount, pageSizeBytes, clockTicksPerSecond, cgroup } = facts;
  return {
    format: 1,
    sampler,
    sessionId,
    source,
    intervalMs,
    labels,
    machine: { bootId, kernel, hostName, cpuCount, pageSizeBytes, clockTicksPerSecond },
    cgroup,
    collectorVersion: headroomVersion,
  };
}
