import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { HeadroomError } from '../../model/errors.ts';
import type { OnCheckProgress } from '../check-progress.ts';
import { inspectDatabaseFile, readError } from '../database-file.ts';
import { elsewhereWords } from '../open-for-change.ts';
import { openForReading } from '../open-for-reading.ts';
import { readingError } from '../reading-error.ts';
import { isBeingRecorded, isRecorderAlive, type RecorderIdentity } from '../recorder-lock.ts';
import { checkSeal, type SealCheck } from '../seal/check-seal.ts';
import {
  type DatabaseHeader,
  databaseHeaderBytes,
  parseDatabaseHeader,
} from '../sqlite-file/database-header.ts';
import { readBytes } from '../sqlite-file/read-bytes.ts';
import { type CheckedContents, checkContents } from './check-contents.ts';
import { checkLog } from './check-log.ts';
import type { Problem, Verification } from './verification.ts';

export interface VerifyOptions {
  /** Whether the recorder that the file names still runs; default: asks the kernel. */
  isAlive?: (recorder: RecorderIdentity) => boolean;
  /** Where a file is copied to that cannot be read in place; default: the system's. */
  temporaryFolder?: string;
  /** Take it for a damaged recording also where it does not look like a database; default false. */
  isRecording?: boolean;
  onProgress?: OnCheckProgress;
}

/**
 * Says whether a recording is whole, and what of it is damaged or missing; the file stays as it is.
 * FILE_NOT_FOUND, FILE_NOT_READABLE, FILE_EMPTY, FILE_NOT_A_DATABASE, FILE_NOT_A_RECORDING,
 * FILE_TOO_NEW, ADDON_MISSING: what is none to begin with.
 */
export function verifyFile(path: string, options: VerifyOptions = {}): Verification {
  const refusal = inspect(path);
  // Before SQLite opens it: closing a file here drops the locks that SQLite has on it.
  const { seal, header } = readFile(path, options.onProgress);
  const isRecording = options.isRecording === true || isVouchedFor(seal);
  if (refusal !== null && refusal.code !== 'FILE_CORRUPT' && !isRecording) throw refusal;
  const checked = refusal === null ? checkDatabase(path, seal, options) : unreadable(refusal, path);
  const { found } = checked;
  const session = { recorder: found?.session.recorder ?? null };
  const isAlive = options.isAlive ?? isRecorderAlive;
  const isLive = isBeingRecorded(path, session, isAlive);
  const elsewhere = isLive ? elsewhereWords(path, isAlive) : null;
  const log = checkLog(path, {
    usesLog: header?.usesLog ?? false,
    pageSizeBytes: header?.pageSizeBytes ?? 4096,
    hasEnded: found?.contents.facts.endedUnixMs != null,
    sampleCount: found?.contents.sampleCount ?? 0,
  });
  // While it is written to, both change under our eyes.
  const aside = isLive ? [] : [sealProblem(seal), log];
  const problems = [...aside, ...checked.problems].filter((problem) => problem !== null);
  return {
    path,
    sizeBytes: statSync(path).size,
    isWhole: problems.length === 0,
    isLive,
    checked: seal.state === 'intact' && !existsSync(`${path}-wal`) ? 'every_byte' : 'structure',
    problems,
    remarks: [
      ...(elsewhere === null ? [] : [elsewhere]),
      ...remarksOn({ path, isLive, seal, found }),
    ],
    contents: found?.contents ?? null,
  };
}

/** What keeps it from being opened; thrown where there is nothing to look into. */
function inspect(path: string): HeadroomError | null {
  try {
    inspectDatabaseFile(path);
    return null;
  } catch (error) {
    const isOfContent =
      error instanceof HeadroomError && /^FILE_(CORRUPT|NOT_A_DATABASE)$/.test(error.code);
    if (isOfContent) return error;
    throw error;
  }
}

function readFile(
  path: string,
  onProgress: OnCheckProgress | undefined,
): { seal: SealCheck; header: DatabaseHeader | null } {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = readBytes(file, Buffer.alloc(databaseHeaderBytes), 0);
      return { seal: checkSeal(path, onProgress), header: parseDatabaseHeader(bytes) };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw readError(error, path);
  }
}

/** Whether the checksums show that it is a recording, whatever else they show. */
function isVouchedFor(seal: SealCheck): boolean {
  return seal.state === 'damaged' ? seal.damagedPages.length > 0 : seal.state !== 'none';
}

function sealProblem(seal: SealCheck): Problem | null {
  if (seal.state !== 'damaged') return null;
  return { code: 'bytes_changed', message: `is not what it was: ${seal.what}` };
}

interface CheckedDatabase {
  problems: Problem[];
  /** Null where it cannot be read. */
  found: CheckedContents | null;
}

function checkDatabase(path: string, seal: SealCheck, options: VerifyOptions): CheckedDatabase {
  try {
    const { db, close } = openForReading(path, options.temporaryFolder);
    try {
      db.exec('BEGIN');
      options.onProgress?.('structure', null);
      const structure = checkStructure(
        db.prepare<[], string>('PRAGMA integrity_check(5)').pluck().all(),
      );
      if (structure !== null) return { problems: [structure], found: null };
      options.onProgress?.('contents', null);
      const found = checkContents(db, path);
      return { problems: missingSamples(found), found };
    } finally {
      close();
    }
  } catch (error) {
    const known = readingError(error, path);
    if (!(known instanceof HeadroomError) || !known.code.startsWith('FILE_')) throw known;
    if (known.code !== 'FILE_CORRUPT' && !isVouchedFor(seal)) throw known;
    return unreadable(known, path);
  }
}

function unreadable(error: HeadroomError, path: string): CheckedDatabase {
  const message = `cannot be read: ${error.message.replace(`${path}: `, '')}`;
  return { problems: [{ code: 'contents', message }], found: null };
}

function checkStructure(lines: readonly string[]): Problem | null {
  if (lines.length === 1 && lines[0] === 'ok') return null;
  const [first = 'no answer'] = lines.flatMap((line) => line.split('\n')).filter(isTelling);
  return { code: 'structure', message: `is damaged: ${first}` };
}

/** The first line of what SQLite says is a headline. */
function isTelling(line: string): boolean {
  return !line.startsWith('*** in database');
}

function missingSamples({ missing }: CheckedContents): Problem[] {
  const [first] = missing;
  if (first === undefined) return [];
  const count = missing.reduce((sum, hole) => sum + hole.lastSequence - hole.firstSequence + 1, 0);
  const from = new Date(first.fromUnixMs).toISOString();
  const message = `lacks ${count} samples, the first of them after ${from}, and does not say why`;
  return [{ code: 'samples_missing', message }];
}

interface Known {
  path: string;
  isLive: boolean;
  seal: SealCheck;
  found: CheckedContents | null;
}

function remarksOn({ path, isLive, seal, found }: Known): string[] {
  const remarks: string[] = [];
  if (isLive) remarks.push('it is being recorded at this moment');
  else if (found?.contents.facts.endReason === 'copied') {
    remarks.push('it is a copy, and when it was made the recording went on');
  } else if (found !== null && found.contents.facts.endedUnixMs === null) {
    remarks.push(
      'it has no end: its recorder was killed, its disk was full, or it was copied while it was recorded',
    );
  }
  if (seal.state === 'outdated') {
    remarks.push('a program wrote to it after it was sealed: its checksums say nothing any more');
  }
  if (seal.state === 'none' && !isLive) {
    remarks.push('it has no checksums: a byte that was changed within a figure is not seen');
  }
  if (existsSync(`${path}-journal`)) {
    remarks.push('another program did not finish a change, which is undone when it is read');
  }
  return remarks;
}
