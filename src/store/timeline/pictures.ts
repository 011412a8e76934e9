import type { RoleTimeline, Timeline, TimelineRequest } from '../../model/timeline.ts';
import type { Database } from '../driver.ts';
import { readRoleTimeline, roleFigures } from './role-timeline.ts';
import { sharedWindows } from './rollup-windows.ts';
import { readTimeline } from './session-timeline.ts';
import { sessionFigures } from './window-buckets.ts';

// Each page is needed once. In memory that is touched for the first time it costs as much as ten reads.
const cacheKib = 1_000;

/** Both pictures of a window of time, for which the rollups are read once. */
export function readPictures(
  db: Database,
  request: TimelineRequest,
): { session: Timeline; roles: RoleTimeline } {
  db.pragma(`cache_size = -${cacheKib}`);
  const readWindows = sharedWindows(db, [...sessionFigures, ...roleFigures]);
  return {
    session: readTimeline(db, request, readWindows),
    roles: readRoleTimeline(db, request, readWindows),
  };
}
