import { setImmediate as nextTurn } from 'node:timers/promises';
import { fleetSessionOf } from '../../analysis/fleet/fleet-session.ts';
import { type ErrorCode, HeadroomError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { readError } from '../../store/database-file.ts';
import { bytesChecksum, sealChecksum } from '../../store/fleet/checksum.ts';
import {
  type FileFinding,
  type FileOutcome,
  type FleetData,
  leftOutOutcomes,
} from '../../store/fleet/fleet-data.ts';
import { IntactFiles } from '../../store/fleet/intact-file.ts';
import { RecordingSlot } from '../../store/fleet/recording-slot.ts';
import { openRecording, openWhole } from '../../store/reader.ts';
import { refuseDamaged } from '../../store/refuse-damaged.ts';
import { fileStamp } from '../find-recordings.ts';
import { memoryKeeper } from '../memory-keeper.ts';

/** What became of the files; `unchanged`: looked at by an earlier import, and the same since. */
export interface ImportResult {
  files: number;
  outcomes: Record<FileOutcome | 'unchanged', number>;
  /** Not in the data set, and why. */
  leftOut: LeftOut[];
  /** It was asked to end before the last file. */
  wasInterrupted: boolean;
}

export interface LeftOut {
  file: string;
  /** Null: nothing is wrong with the file. */
  code: ErrorCode | null;
  reason: string;
}

export interface ImportOptions {
  signal: AbortSignal;
  /** Looks again at files that are known, and have not changed. */
  again: boolean;
  onFile: (progress: { number: number; of: number }) => void;
}

// A kill loses no more than these; to write them one by one would take longer than to read them.
const batchSize = 250;
const mostGarbageBytes = 6 * 2 ** 20;

/**
 * Brings recordings into a data set. What is in it already is passed over, so that an import that was
 * ended or killed goes on where it was. A file that cannot be read keeps no other from being read.
 */
export async function importRecordings(
  files: readonly string[],
  data: FleetData,
  { signal, again, onFile }: ImportOptions,
): Promise<ImportResult> {
  const result = emptyResult(files.length);
  let batch: FileFinding[] = [];
  const write = () => {
    const isKnown = ({ path, stamp }: FileFinding) => data.known(path, stamp) !== null;
    const known = new Set((again ? batch.filter(isKnown) : []).map(({ path }) => path));
    for (const { path, outcome, code, reason } of data.put(batch)) {
      const isOld = outcome === 'imported' && known.has(path);
      result.outcomes[isOld ? 'unchanged' : outcome]++;
      if (!leftOutOutcomes.includes(outcome)) continue;
      result.leftOut.push({ file: path, code, reason: reason ?? '' });
    }
    batch = [];
  };
  const tidy = memoryKeeper(mostGarbageBytes);
  using slot = new RecordingSlot();
  const reader = { files: new IntactFiles(), slot };
  for (const [index, file] of files.entries()) {
    if (signal.aborted) break;
    onFile({ number: index + 1, of: files.length });
    const found = look(file, { data, again, reader });
    if (found === null) result.outcomes.unchanged++;
    else if ('stamp' in found) batch.push(found);
    else result.leftOut.push(found);
    if (batch.length < batchSize) continue;
    write();
    tidy();
    // A signal is heard between two batches.
    await nextTurn();
  }
  write();
  result.wasInterrupted = signal.aborted;
  return result;
}

function emptyResult(files: number): ImportResult {
  return {
    files,
    outcomes: {
      imported: 0,
      replaced: 0,
      duplicate: 0,
      shorter: 0,
      parted: 0,
      damaged: 0,
      blind: 0,
      unchanged: 0,
    },
    leftOut: [],
    wasInterrupted: false,
  };
}

/** What is wrong with the file itself, and will be as long as it is not written to. */
const lasting: readonly ErrorCode[] = [
  'FILE_CORRUPT',
  'FILE_EMPTY',
  'FILE_NOT_A_DATABASE',
  'FILE_NOT_A_RECORDING',
];

interface LookOptions {
  data: FleetData;
  again: boolean;
  reader: { files: IntactFiles; slot: RecordingSlot };
}

/** Null: an earlier import has looked at it, and there is nothing to do. */
function look(file: string, options: LookOptions): FileFinding | LeftOut | null {
  const { data, again } = options;
  let stamp = '';
  try {
    stamp = fileStamp(file);
    const known = again ? null : data.known(file, stamp);
    if (known !== null) {
      const { code, reason, heirChecksum } = known;
      if (heirChecksum !== null) {
        return { path: file, stamp, session: null, checksum: heirChecksum };
      }
      return leftOutOutcomes.includes(known.outcome) ? { file, code, reason: reason ?? '' } : null;
    }
    return read(file, stamp, options);
  } catch (thrown) {
    // It may go, or be shut, while it is looked at.
    const error = thrown instanceof HeadroomError ? thrown : readError(thrown, file);
    // A Node.js without any SQLite reads no file at all.
    if (!(error instanceof HeadroomError) || error.code === 'ADDON_MISSING') throw error;
    const { code, message: reason } = error;
    if (!lasting.includes(code)) return { file, code, reason };
    return { path: file, stamp, session: null, checksum: null, outcome: 'damaged', code, reason };
  }
}

function read(
  file: string,
  stamp: string,
  { data, again, reader }: LookOptions,
): FileFinding | LeftOut {
  const intact = reader.files.read(file);
  const checksum = intact?.checksum ?? sealChecksum(file);
  // A copy of one that is known says by its checksums only what it was.
  if (intact === null && checksum !== null) refuseDamaged(file);
  if (checksum !== null && !again && data.hasChecksum(checksum)) {
    return { path: file, stamp, session: null, checksum };
  }
  const find = (recording: Recording) => findingOf(recording, { path: file, stamp, checksum });
  const found = intact === null ? null : reader.slot.read(file, intact, find);
  if (found !== null) return found;
  using recording = checksum === null ? openWhole(file) : openRecording(file);
  return find(recording);
}

function findingOf(
  recording: Recording,
  { path, stamp, checksum }: { path: string; stamp: string; checksum: string | null },
): FileFinding | LeftOut {
  const { facts } = recording;
  if (facts.endedUnixMs === null && recording.isLive) {
    return { file: path, code: null, reason: 'it is still being recorded' };
  }
  const session = fleetSessionOf(recording, facts);
  if (session === null) {
    const reason = 'it does not tell how much memory was used';
    return { path, stamp, session, checksum: null, outcome: 'blind', code: null, reason };
  }
  return { path, stamp, session, checksum: checksum ?? bytesChecksum(path) };
}
