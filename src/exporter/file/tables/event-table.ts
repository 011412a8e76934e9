import type { RecordingEvent } from '../../../model/event.ts';
import { eachEvent } from '../event-stream.ts';
import {
  type Cell,
  type ColumnKind,
  type ColumnOf,
  snakeCase,
  type Table,
  tableOf,
} from './table.ts';

// What is asked for most; `detail` has everything.
const figures = {
  pid: 'integer',
  comm: 'text',
  role: 'text',
  exitCode: 'integer',
  signal: 'text',
  rssBytes: 'integer',
  scope: 'text',
  gap: 'text',
  counter: 'text',
  count: 'integer',
  beforeStart: 'boolean',
  code: 'text',
  message: 'text',
} as const satisfies Record<string, ColumnKind>;

export const eventTable: Table = tableOf<RecordingEvent>({
  name: 'events',
  help: 'something that happened: an OOM kill, the end of a process, a gap, a change of the limit',
  columns: [
    { name: 'time', kind: 'instant', read: (event) => event.timeUnixMs },
    { name: 'kind', kind: 'text', read: (event) => event.kind },
    ...Object.entries(figures).map(([field, kind]) => figureColumn(field, kind)),
    { name: 'duration_ms', kind: 'integer', read: durationMs },
    { name: 'detail', kind: 'text', read: detail },
  ],
  records: eachEvent,
});

function figureColumn(field: string, kind: ColumnKind): ColumnOf<RecordingEvent> {
  return {
    name: snakeCase(field),
    kind,
    read: (event) => {
      const value: unknown = Reflect.get(event, field);
      return value === undefined ? null : (value as Cell);
    },
  };
}

function durationMs(event: RecordingEvent): number | null {
  return event.kind === 'gap' ? event.toUnixMs - event.fromUnixMs : null;
}

// As in the column of the same name (docs/schema.md).
function detail({ kind: _kind, timeUnixMs: _time, ...rest }: RecordingEvent): string {
  return JSON.stringify(rest);
}
