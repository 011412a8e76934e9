import { HeadroomError } from '../../../model/errors.ts';

/**
 * An integer of a recording as a 64-bit one. FILE_CORRUPT, naming the column, for a number that is
 * none, or that was rounded when it was read: JavaScript's are exact up to 2^53, and no machine has
 * that much of anything.
 */
export function exactInteger(value: number | bigint, column: string): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new HeadroomError('FILE_CORRUPT', `${column} is ${value}, which is no exact integer`);
}
