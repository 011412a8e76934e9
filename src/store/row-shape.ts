import { HeadroomError } from '../model/errors.ts';

/** What a field may be; `?`: or null. A list: one of these texts. */
export type FieldShape = 'number' | 'number?' | 'string' | 'string?' | 'boolean' | FieldValues;

type FieldValues = readonly (string | null)[];

/** Every field of a type, once: a field that is added to the model and not here does not compile. */
export type RowShape<T> = Readonly<Record<keyof T, FieldShape>>;

/**
 * Checks what was read from a file, whose columns and JSON texts may hold anything once it was
 * edited by hand or is damaged. FILE_CORRUPT, naming the field but not the file.
 */
export function checkShape<T extends object>(row: T, shape: RowShape<T>, what: string): T {
  for (const field in shape) {
    const value: unknown = row[field];
    if (!fits(value, shape[field])) {
      throw new HeadroomError('FILE_CORRUPT', `${what} has a wrong ${field} (${shown(value)})`);
    }
  }
  return row;
}

function fits(value: unknown, shape: FieldShape): boolean {
  switch (shape) {
    case 'number':
      return Number.isFinite(value);
    case 'number?':
      return value === null || Number.isFinite(value);
    case 'string':
      return typeof value === 'string';
    case 'string?':
      return value === null || typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return shape.some((allowed) => allowed === value);
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 40) ?? 'missing';
}
