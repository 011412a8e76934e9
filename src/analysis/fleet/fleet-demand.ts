import type { FleetSession } from '../../model/fleet-session.ts';
import type { SessionDemand } from '../sizing/session-demand.ts';
import { dimensionsOf } from './dimensions.ts';

/** What a session of a fleet needed, as its recording would tell; its labels are all its dimensions. */
export function fleetDemand(session: FleetSession): SessionDemand {
  const { id, file, startedUnixMs, version, demandBytes, demandSource } = session;
  const { isCensored, isCutOff, limitBytes, limitSource, growth } = session;
  const labels = dimensionsOf(session);
  const whose = { id, file: file ?? '', startedUnixMs, labels, version };
  const limit = { isCensored, isCutOff, limitBytes, limitSource, growth };
  return { ...whose, demandBytes, source: demandSource, ...limit };
}
