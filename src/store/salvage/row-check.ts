import { HeadroomError } from '../../model/errors.ts';
import { processRoles } from '../../model/process-role.ts';
import { Sketch } from '../../model/sketch.ts';
import { eventOf } from '../event-detail.ts';
import type { StoredValue } from '../sqlite-file/record.ts';
import type { TableShape } from './table-shapes.ts';

type Row = Readonly<Record<string, StoredValue>>;

/**
 * Whether a reader will take a row whose columns are of the right types: one that it does not take
 * would keep it from all the others.
 */
export function isRightRow(shape: TableShape, values: readonly StoredValue[]): boolean {
  const check = checks[shape.name];
  if (check === undefined) return true;
  try {
    return check(
      Object.fromEntries(shape.columns.map(({ name }, at) => [name, values[at] ?? null])),
    );
  } catch (error) {
    if (error instanceof HeadroomError || error instanceof SyntaxError) return false;
    throw error;
  }
}

const checks: Readonly<Record<string, (row: Row) => boolean>> = {
  event: (row) => {
    const { time_unix_ms: time, kind, detail } = row;
    eventOf({
      timeUnixMs: typeof time === 'number' ? time : null,
      kind: String(kind),
      detail: String(detail),
    });
    return true;
  },
  process: ({ role }) => processRoles.some((known) => known === role),
  rollup: ({ key, sketch, weight_ms, sum, min, max }) => {
    // Of an earlier format, which is checked when it is brought up to date.
    if (key === undefined) return true;
    if (!(sketch instanceof Uint8Array)) return false;
    Sketch.decode(sketch, {
      count: Number(weight_ms),
      sum: Number(sum),
      min: Number(min),
      max: Number(max),
    });
    return true;
  },
};
