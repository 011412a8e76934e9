import fs from 'node:fs';
import { HeadroomError } from '../model/errors.ts';

/** FILE_EXISTS where there is something already: no recording is ever overwritten. */
export function refuseExisting(out: string): void {
  if (fs.lstatSync(out, { throwIfNoEntry: false }) === undefined) return;
  throw new HeadroomError('FILE_EXISTS', `${out}: exists`, {
    hint: 'Choose another name; a recording is never overwritten.',
  });
}
