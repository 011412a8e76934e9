import { readFileSync } from 'node:fs';

const root = new URL('../fixtures/cases/', import.meta.url);

/** The bytes of a file of a case: `001-stat-comm-paren/evil.stat`. */
export function caseBytes(file: string): Buffer {
  return readFileSync(new URL(file, root));
}

/** A JSON file of a case. */
export function caseJson<T>(file: string): T {
  return JSON.parse(caseBytes(file).toString('utf8')) as T;
}

/** A file of a case with one JSON value in each line. */
export function caseLines<T>(file: string): T[] {
  const lines = caseBytes(file).toString('utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}
