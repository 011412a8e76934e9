import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { headroomVersion } from '../../../model/version.ts';

/** Key of the origin in the metadata of a Parquet file. */
export const originKey = 'headroom.origin';

/**
 * What a table was made of, as JSON: another text means that the same recording gives another table
 * by now, because it went on or another part of it is asked for.
 */
export function originOf(recording: Recording, range: TimeRange): string {
  const { id, endedUnixMs } = recording.facts;
  return JSON.stringify({
    sessionId: id,
    lastSequence: recording.lastTick()?.sequence ?? null,
    endedUnixMs,
    fromUnixMs: range.fromUnixMs ?? null,
    toUnixMs: range.toUnixMs ?? null,
    version: headroomVersion,
  });
}

/** The origin that a Parquet file names; null for one that is none of ours, or damaged. */
export async function readOrigin(path: string): Promise<string | null> {
  try {
    const { key_value_metadata } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    return key_value_metadata?.find(({ key }) => key === originKey)?.value ?? null;
  } catch (error) {
    // Whatever it is, its reader cannot make sense of it; it throws errors of all kinds.
    if (error instanceof Error) return null;
    throw error;
  }
}
