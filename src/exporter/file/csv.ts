import { HeadroomError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { exactInteger } from './tables/exact-integer.ts';
import type { Cell, Column, Table } from './tables/table.ts';

/** Whose row it is, in front of the columns of every table. */
const identityColumns: readonly Column[] = [
  { name: 'session_id', kind: 'text' },
  { name: 'workload', kind: 'text' },
];

/** The first record of a file: the names of the columns, with their units. */
export function csvHeader(table: Table): string {
  return csvRecord(
    [...identityColumns, ...table.columns].map(({ name, kind }) =>
      // Spreadsheets know no time zones.
      kind === 'instant' ? `${name}_utc` : name,
    ),
  );
}

/**
 * A table of a recording as CSV (RFC 4180: fields with a comma, a quote or a line end in quotes,
 * CRLF behind each record), made for a spreadsheet: instants as `2026-11-29 14:00:00.000` in UTC,
 * unknown as an empty field, and no text that a spreadsheet would run as a formula.
 */
export function* csvRecords(
  table: Table,
  recording: Recording,
  range: TimeRange = {},
): Generator<string> {
  const { id, labels } = recording.facts;
  const identity = [csvText(id), csvText(labels['workload'] ?? null)];
  for (const row of table.rows(recording, range)) {
    yield csvRecord([
      ...identity,
      ...table.columns.map((column, index) => csvField(row[index] ?? null, column)),
    ]);
  }
}

function csvRecord(fields: readonly string[]): string {
  return `${fields.join(',')}\r\n`;
}

function csvField(value: Cell, { name, kind }: Column): string {
  if (value === null) return '';
  if (typeof value === 'string') return csvText(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object') return csvText(`[${value.join(',')}]`);
  if (kind === 'instant') return dateTime(Number(value), name);
  return kind === 'integer' ? exactInteger(value, name).toString() : String(value);
}

// The last that a Date can hold (ECMA-262, "Time Values and Time Range").
const latestUnixMs = 8.64e15;

/** The form that spreadsheets, DuckDB and ClickHouse all take for a time of their own accord. */
function dateTime(unixMs: number, column: string): string {
  if (!(Math.abs(unixMs) <= latestUnixMs)) {
    throw new HeadroomError('FILE_CORRUPT', `${column} is ${unixMs}, which is no time`);
  }
  return new Date(unixMs).toISOString().replace('T', ' ').replace('Z', '');
}

// What begins a formula in Excel, LibreOffice or Google Sheets; the last four are the wide forms of
// East Asian keyboards. (OWASP, "CSV Injection")
const formulaStart = '[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]';
// A cell begins with the field, and where a reader takes another separator than the comma or breaks
// at a line end: behind that one as well.
const hiddenFormula = new RegExp(`(^|[\\t\\r\\n;|])(\\s*)(?=${formulaStart})`, 'g');

function csvText(text: string | null): string {
  if (text === null) return '';
  // An apostrophe says that what follows is text, and is not shown by a spreadsheet.
  const defused = text.replace(hiddenFormula, "$1$2'");
  return /[",\r\n]/.test(defused) || defused !== text
    ? `"${defused.replaceAll('"', '""')}"`
    : defused;
}
