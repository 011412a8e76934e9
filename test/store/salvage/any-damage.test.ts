import fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyse } from '../../../src/analysis/session-report.ts';
import { HeadroomError } from '../../../src/model/errors.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { salvageFile } from '../../../src/store/salvage/salvage-file.ts';
import { verifyFile } from '../../../src/store/verify/verify-file.ts';
import {
  endedRecording,
  killedRecording,
  overwrite,
  pageBytes,
  unseal,
} from '../../support/damaged-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

interface Damage {
  kind: 'bytes' | 'zero' | 'another page' | 'cut';
  /** Where, as a part of the file. */
  at: number;
  length: number;
  seed: number;
}

const damages = fc.array(
  fc.record<Damage>({
    kind: fc.constantFrom('bytes', 'zero', 'another page', 'cut'),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    length: fc.integer({ min: 1, max: 3 * pageBytes }),
    seed: fc.integer({ min: 1, max: 255 }),
  }),
  { minLength: 1, maxLength: 4 },
);

function harm(path: string, { kind, at, length, seed }: Damage): void {
  const size = fs.statSync(path).size;
  const offset = Math.floor(at * size);
  const inFile = Math.min(length, size - offset);
  const page = offset - (offset % pageBytes);
  switch (kind) {
    case 'cut':
      fs.truncateSync(path, Math.max(offset, Math.floor(size / 2)));
      break;
    case 'zero':
      overwrite(path, offset, Buffer.alloc(inFile));
      break;
    case 'bytes':
      overwrite(path, offset, Buffer.alloc(Math.min(inFile, 64), seed));
      break;
    case 'another page': {
      const from = pageBytes * (seed % Math.floor(size / pageBytes));
      overwrite(path, page, fs.readFileSync(path).subarray(from, from + pageBytes));
    }
  }
}

/** Of a sealed file; of the others a changed figure cannot be told from a right one. */
function expectNotWhole(file: string): void {
  try {
    expect(verifyFile(file, { isAlive: () => false }).isWhole).toBe(false);
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
  }
}

test.each(['ended without checksums', 'sealed', 'killed'])(
  'any damage to one that was %s leaves a recording that can be saved whole, or is refused with a reason',
  (kind) => {
    using folder = temporaryFolder();
    const original = folder.file('whole.db');
    const file = folder.file('a.db');
    const out = folder.file('b.db');
    const small = { tickCount: 150, processCount: 8 };
    if (kind === 'killed') killedRecording(original, small);
    else endedRecording(original, small);
    if (kind === 'ended without checksums') unseal(original);
    const parts = kind === 'killed' ? ['', '-wal'] : [''];
    let saved = 0;
    const survives = fc.property(damages, fc.constantFrom(...parts), (all, part) => {
      for (const each of parts) fs.copyFileSync(original + each, file + each);
      for (const damage of all) harm(file + part, damage);
      const isHarmed = !fs.readFileSync(file + part).equals(fs.readFileSync(original + part));
      if (kind === 'sealed' && isHarmed) expectNotWhole(file);
      fs.rmSync(out, { force: true });
      try {
        salvageFile(file, out);
      } catch (error) {
        if (!(error instanceof HeadroomError)) throw error;
        expect(error.code).toMatch(/^(FILE_|NOTHING_TO_SAVE$)/);
        return;
      }
      saved++;
      using recording = openRecording(out);
      expect(analyse(recording).coverage.samples).toBe(recording.tickCount());
    });
    fc.assert(survives, { numRuns: 20 });
    expect(saved).toBeGreaterThan(5);
  },
);
