import { errnoOf } from './errors.ts';

/** What a call of the system gives; null where it fails with an errno. Any other error is thrown. */
export function orNull<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}
