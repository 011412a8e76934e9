/** Of which session a file is, and how far it goes. */
export interface SessionFile {
  /** Null: not known, and taken for one of its own. */
  id: string | null;
  /** The number of its last sample. */
  lastSequence: number;
}

/**
 * The recordings of each session, as copies that were fetched while it ran, the longest first; of equal
 * ones the one that was given first, which also says where the session stands among the others.
 */
export function bySession<T extends SessionFile>(files: Iterable<T>): T[][] {
  const sessions: T[][] = [];
  const byId = new Map<string, T[]>();
  for (const file of files) {
    const known = file.id === null ? undefined : byId.get(file.id);
    if (known !== undefined) {
      known.push(file);
      continue;
    }
    const session = [file];
    sessions.push(session);
    if (file.id !== null) byId.set(file.id, session);
  }
  return sessions.map((same) => same.sort((a, b) => b.lastSequence - a.lastSequence));
}

/** Why another recording of a session is left out; `file` is the one that counts. */
export function sameSession(file: string): string {
  return `the same session as ${file}`;
}
