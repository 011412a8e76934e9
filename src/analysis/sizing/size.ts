import { type ErrorCode, HeadroomError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { openWhole } from '../../store/reader.ts';
import { bySession, type SessionFile, sameSession } from '../same-session.ts';
import { type SessionDemand, sessionDemand } from './session-demand.ts';
import { type Sizing, type SizingQuestion, sizing } from './sizing.ts';

export interface SizeOptions extends Partial<SizingQuestion> {
  /** Answers for each value of this label as well. */
  by?: string;
  /** Called before each file. */
  onFile?: (progress: { file: string; number: number; of: number }) => void;
}

/** The answer of `headroom size`; as JSON it is its output. Fields are only added. */
export interface SizeReport extends Sizing {
  schemaVersion: 1;
  /** Files that are not in it, and why. */
  skipped: SkippedFile[];
  /** Empty without `by`. */
  groups: SizeGroup[];
}

export interface SizeGroup extends Sizing {
  label: string;
  /** Null: those without the label. */
  value: string | null;
}

export interface SkippedFile {
  file: string;
  /** Null: nothing is wrong with the file. */
  code: ErrorCode | null;
  reason: string;
}

const gib = 2 ** 30;

export const defaultQuestion: SizingQuestion = {
  tiers: [gib, 8 * gib, 16 * gib],
  fitRatio: 0.99,
  confidence: 0.95,
};

/**
 * Which tier the sessions of these recordings need. A file that is damaged is named in `skipped` and
 * does not keep the others from being answered; so is one that is still being recorded, and of several
 * recordings of a session every one but the longest. TypeError for what is no list of paths and no
 * label, RangeError for a share that is not between 0 and 1, and for no tier.
 */
export function size(files: readonly string[], options: SizeOptions = {}): SizeReport {
  const given: unknown = files;
  if (!Array.isArray(given) || !given.every((file) => typeof file === 'string')) {
    throw new TypeError('files is to be a list of paths');
  }
  questionOf(options);
  const found: ReadDemand[] = [];
  const skipped: SkippedFile[] = [];
  files.forEach((file, index) => {
    options.onFile?.({ file, number: index + 1, of: files.length });
    const read = readDemand(file);
    if ('reason' in read) skipped.push(read);
    else found.push(read);
  });
  const longest = bySession(found).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const reason = sameSession(first.demand.file);
    skipped.push(...others.map(({ demand: { file } }) => ({ file, code: null, reason })));
    return [first.demand];
  });
  return { ...sizeSessions(longest, options), skipped };
}

/** The same of sessions that were read already; errors as in {@link size}. */
export function sizeSessions(
  sessions: readonly SessionDemand[],
  options: Omit<SizeOptions, 'onFile'> = {},
): SizeReport {
  const question = questionOf(options);
  return {
    schemaVersion: 1,
    ...sizing(sessions, question),
    skipped: [],
    groups: options.by === undefined ? [] : groupsBy(options.by, sessions, question),
  };
}

function questionOf(options: SizeOptions): SizingQuestion {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw new TypeError('options is to be an object');
  }
  const { by }: { by?: unknown } = options;
  if (by !== undefined && typeof by !== 'string') {
    throw new TypeError(`by is to be the name of a label, not ${String(by)}`);
  }
  const question = {
    tiers: options.tiers ?? defaultQuestion.tiers,
    fitRatio: options.fitRatio ?? defaultQuestion.fitRatio,
    confidence: options.confidence ?? defaultQuestion.confidence,
  };
  for (const name of ['fitRatio', 'confidence'] as const) {
    const share = question[name];
    if (!(share > 0 && share < 1)) {
      throw new RangeError(`${name} is to be between 0 and 1, not ${share}`);
    }
  }
  const isList = Array.isArray(question.tiers) && question.tiers.length > 0;
  if (!isList || !question.tiers.every((bytes) => bytes > 0)) {
    throw new RangeError('tiers is to have sizes in bytes');
  }
  return question;
}

interface ReadDemand extends SessionFile {
  demand: SessionDemand;
}

function readDemand(file: string): ReadDemand | SkippedFile {
  try {
    using recording = openWhole(file);
    return demandOf(recording);
  } catch (error) {
    // A Node.js without any SQLite reads no file at all.
    if (!(error instanceof HeadroomError) || error.code === 'ADDON_MISSING') throw error;
    return { file, code: error.code, reason: error.message };
  }
}

function demandOf(recording: Recording): ReadDemand | SkippedFile {
  const file = recording.path;
  const { facts } = recording;
  if (facts.endedUnixMs === null && recording.isLive) {
    return { file, code: null, reason: 'it is still being recorded' };
  }
  const demand = sessionDemand(recording);
  if (demand === null) {
    return { file, code: null, reason: 'it does not tell how much memory was used' };
  }
  return { id: demand.id, lastSequence: recording.lastTick()?.sequence ?? 0, demand };
}

function groupsBy(
  label: string,
  sessions: readonly SessionDemand[],
  question: SizingQuestion,
): SizeGroup[] {
  const byValue = new Map<string | null, SessionDemand[]>();
  for (const session of sessions) {
    // What every object has by its prototype is no label.
    const value = Object.hasOwn(session.labels, label) ? (session.labels[label] ?? null) : null;
    const members = byValue.get(value);
    if (members === undefined) byValue.set(value, [session]);
    else members.push(session);
  }
  // Those without the label last.
  const values = [...byValue].sort(([a], [b]) =>
    a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
  );
  return values.map(([value, members]) => ({ label, value, ...sizing(members, question) }));
}
