import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errnoOf } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { type Database, openDatabase, transaction } from '../driver.ts';
import { recordingIn } from '../reader.ts';
import { applicationId, newestVersion, schemaVersion } from '../schema.ts';
import type { IntactFile } from './intact-file.ts';
import { preparedOnce } from './prepared-once.ts';
import { SchemaPages } from './schema-pages.ts';

const changeCounterAt = 24;
const schemaCookieAt = 40;
const countIsOfCounterAt = 92;

/**
 * Reads recordings one after the other through one connection. To open a file, to read its schema and
 * to compile every statement for it takes SQLite longer than to run them; so there is one temporary
 * file, into which each recording is copied, and whose statements stay compiled. SQLite finds out what
 * another program did to its file by two numbers in the head: the change counter, which is another
 * one for every recording and tells it to forget the pages, and the schema cookie, which is another
 * one when the tables are not the same and tells it to read the schema again
 * (sqlite.org/fileformat2.html, 1.3.7 and 1.3.9).
 */
export class RecordingSlot {
  #opened: OpenedSlot | null = null;
  #changes = 0;
  #cookie = 0;
  #schema: SchemaPages | null = null;

  /**
   * What `work` makes of a recording, which is at this path. Null: it cannot be read in this way, as
   * it is of another format, or there is no room for the copy.
   */
  read<T>(path: string, file: IntactFile, work: (recording: Recording) => T): T | null {
    if (!isOfThisFormat(file)) return null;
    try {
      const db = this.#put(file);
      if (db === null) return null;
      // One for all that is asked: to begin and to end one takes as long as a query.
      return transaction(db, 'deferred', () =>
        work(recordingIn(path, { db, close: () => undefined })),
      );
    } catch (error) {
      // A row that was not read to its end would keep the pages of this one.
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #put({ header, pages }: IntactFile): Database | null {
    if (this.#schema?.areIn(pages) !== true) {
      this.#schema = new SchemaPages(pages, header);
      this.#cookie++;
    }
    this.#changes++;
    pages.writeUInt32BE(this.#changes, changeCounterAt);
    pages.writeUInt32BE(this.#changes, countIsOfCounterAt);
    pages.writeUInt32BE(this.#cookie, schemaCookieAt);
    try {
      this.#opened ??= openSlot();
      return this.#opened.fill(pages);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      this.close();
      return null;
    }
  }
}

function isOfThisFormat({ header, pages }: IntactFile): boolean {
  const { applicationId: id, userVersion, usesLog, pageCount, pageSizeBytes } = header;
  const isKnown =
    id === applicationId && userVersion >= schemaVersion && userVersion <= newestVersion;
  return isKnown && !usesLog && pageCount !== null && pageCount * pageSizeBytes === pages.length;
}

interface OpenedSlot {
  fill(pages: Buffer): Database;
  close(): void;
}

function openSlot(): OpenedSlot {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-'));
  const path = join(folder, 'recording.db');
  let file: number | null = null;
  let db: Database | null = null;
  return {
    fill(pages) {
      file ??= openSync(path, 'w+');
      // What a longer one left behind is behind the last page, where SQLite does not look.
      for (let at = 0; at < pages.length; ) at += writeSync(file, pages, at, pages.length - at, at);
      db ??= preparedOnce(openDatabase(path, { mode: 'read', busyTimeoutMs: 0 }));
      return db;
    },
    close() {
      db?.close();
      if (file !== null) closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
