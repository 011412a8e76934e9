import { readFileSync } from 'node:fs';

const cases = new URL('../../fixtures/cases/', import.meta.url);

/** The text of a file of a case; bytes as latin1. */
export function caseText(name: string, file: string): string {
  return readFileSync(new URL(`${name}/${file}`, cases), 'latin1');
}

/** The records of a case's kmsg.raw, each as one read(2) gives it. */
export function caseRecords(name: string): string[] {
  return caseText(name, 'kmsg.raw').match(/[^\n]+\n(?: [^\n]*\n)*/g) ?? [];
}
