import { existsSync } from 'node:fs';
import type { FleetSession } from '../../model/fleet-session.ts';
import type { Database, Statement } from '../driver.ts';
import { replaceSql } from '../insert-sql.ts';
import type { FileFinding, FileOutcome, KnownFile, SameFile } from './fleet-data.ts';
import { haveOtherSamples } from './other-samples.ts';
import { SessionWriter } from './session-rows.ts';

interface Before {
  id: string;
  /** Empty: another recording took its place. */
  file: string;
  checksum: string;
  lastSequence: number;
  lastUnixMs: number;
}

/** Decides what becomes of a file, by its session and its checksum. All within a transaction. */
export class FleetWriter {
  readonly #known: Statement;
  readonly #ofSession: Statement;
  readonly #ofChecksum: Statement;
  readonly #file: Statement;
  readonly #move: Statement;
  readonly #demote: Statement;
  readonly #strangers: Statement;
  readonly #copies: Statement;
  readonly #sessions: SessionWriter;

  constructor(db: Database) {
    this.#known = db.prepare(
      `SELECT path, stamp, outcome, code, reason,
         CASE outcome WHEN 'duplicate' THEN checksum END AS heirChecksum
       FROM file WHERE path = ? AND stamp = ?`,
    );
    const before = `SELECT id, file, checksum, last_sequence AS lastSequence,
      last_unix_ms AS lastUnixMs FROM session`;
    this.#ofSession = db.prepare(`${before} WHERE id = ?`);
    this.#ofChecksum = db.prepare(
      `${before} WHERE id = (SELECT id FROM file WHERE checksum = ? AND id IS NOT NULL LIMIT 1)`,
    );
    this.#file = db.prepare(
      replaceSql('file', ['path', 'stamp', 'checksum', 'outcome', 'id', 'code', 'reason']),
    );
    this.#move = db.prepare('UPDATE session SET file = ? WHERE checksum = ?');
    this.#demote = db.prepare(
      "UPDATE file SET outcome = 'duplicate' WHERE path = ? AND checksum = ?",
    );
    this.#strangers = db.prepare('SELECT checksum FROM session WHERE file = ? AND id <> ?').pluck();
    this.#copies = db.prepare('SELECT path FROM file WHERE checksum = ? AND path <> ?').pluck();
    this.#sessions = new SessionWriter(db);
  }

  known(path: string, stamp: string): SameFile | null {
    const known = this.#known.get(path, stamp) as SameFile | undefined;
    if (known === undefined) return null;
    const { heirChecksum } = known;
    if (heirChecksum === null || this.#isLost(heirChecksum)) return known;
    return { ...known, heirChecksum: null };
  }

  hasChecksum(checksum: string): boolean {
    return this.#ofChecksum.get(checksum) !== undefined;
  }

  put(finding: FileFinding): KnownFile {
    const { path, stamp, session, checksum } = finding;
    if (session !== null) return this.#putSession(finding, session, checksum);
    if (checksum !== null) return this.#putCopy({ path, stamp, checksum });
    const { outcome, code, reason } = finding;
    this.#file.run(path, stamp, null, outcome, null, code, reason);
    return { path, stamp, outcome, code, reason };
  }

  #putSession(
    { path, stamp }: Pick<KnownFile, 'path' | 'stamp'>,
    session: FleetSession,
    checksum: string,
  ): KnownFile {
    const before = this.#ofSession.get(session.id) as Before | undefined;
    this.#leaveTo(session.id, path);
    const { lastSequence, lastUnixMs } = session;
    const outcome = outcomeOf(before, { file: path, checksum, lastSequence, lastUnixMs });
    if (outcome === 'imported' || outcome === 'replaced') this.#sessions.write(session, checksum);
    else this.#adopt(before, path, checksum);
    // A copy of it is no copy of what is in the data set.
    const id = outcome === 'parted' ? null : session.id;
    return this.#told({ path, stamp, checksum, outcome, id, other: before?.file });
  }

  #putCopy({
    path,
    stamp,
    checksum,
  }: {
    path: string;
    stamp: string;
    checksum: string;
  }): KnownFile {
    const before = this.#ofChecksum.get(checksum) as Before | undefined;
    if (before !== undefined) this.#leaveTo(before.id, path);
    this.#adopt(before, path, checksum);
    const id = before?.id ?? null;
    return this.#told({ path, stamp, checksum, outcome: 'duplicate', id, other: before?.file });
  }

  /** Whether there is no file where the recording of a session with this checksum was. */
  #isLost(checksum: string): boolean {
    const before = this.#ofChecksum.get(checksum) as Before | undefined;
    return before?.checksum === checksum && !existsSync(before.file);
  }

  /** A name that was used again: the session that was there is to be found in a copy, if anywhere. */
  #leaveTo(id: string, path: string): void {
    for (const checksum of this.#strangers.all(path, id) as string[]) {
      const copies = this.#copies.all(checksum, path) as string[];
      this.#move.run(copies.find((copy) => existsSync(copy)) ?? '', checksum);
    }
  }

  /** The recording was moved: its session is found where the copy is. */
  #adopt(before: Before | undefined, path: string, checksum: string): void {
    if (before === undefined || before.checksum !== checksum || existsSync(before.file)) return;
    this.#move.run(path, checksum);
    // Should it come back, it is a copy.
    this.#demote.run(before.file, checksum);
  }

  #told(file: {
    path: string;
    stamp: string;
    checksum: string;
    outcome: FileOutcome;
    id: string | null;
    other: string | undefined;
  }): KnownFile {
    const { path, stamp, checksum, outcome, id } = file;
    const other = file.other || 'another one';
    const reason = reasonOf(outcome, other);
    this.#file.run(path, stamp, checksum, outcome, id, null, reason);
    return { path, stamp, outcome, code: null, reason };
  }
}

function reasonOf(outcome: FileOutcome, other: string): string | null {
  switch (outcome) {
    case 'duplicate':
      return `a copy of ${other}`;
    case 'shorter':
      return `${other} is a longer recording of the same session`;
    case 'parted':
      return `the same session as ${other} up to a moment, and other samples from then on, as when a snapshot is restored twice`;
    default:
      return null;
  }
}

function outcomeOf(before: Before | undefined, now: Omit<Before, 'id'>): FileOutcome {
  if (before === undefined) return 'imported';
  // The same file, looked at once more.
  if (before.file === now.file && before.lastSequence <= now.lastSequence) {
    return before.checksum === now.checksum ? 'imported' : 'replaced';
  }
  if (before.checksum === now.checksum) return 'duplicate';
  if (before.file !== '' && haveOtherSamples(before, now)) return 'parted';
  return now.lastSequence > before.lastSequence ? 'replaced' : 'shorter';
}
