// Reads samples, a line each, and writes them into a recording (`open`), or does not (`loaded`: with
// the code for it, `without`: not even that); then says what memory it holds. Plain JavaScript over dist, so that no compiler is in it; node:crypto is what the
// recorder has in any case, for the id of the session. See bench/opening.ts.
import 'node:crypto';
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const [samples = '', mode = 'without', out = '', facts = '{}'] = process.argv.slice(2);
const store = mode === 'without' ? null : await import('../../dist/store/writer.js');
const writer = mode === 'open' ? store?.StoreWriter.open(out, JSON.parse(facts)) : null;
// The recorder holds the readings of its last sample with the store and without it.
let sample = null;
for await (const line of createInterface({ input: fs.createReadStream(samples) })) {
  sample = JSON.parse(line);
  writer?.writeSample(sample, []);
  // As the recorder does it.
  if (sample.sequence % 30 === 10) globalThis.gc?.();
}
globalThis.gc?.();
process.stdout.write(fs.readFileSync('/proc/self/smaps_rollup', 'latin1'));
writer?.close({ endedUnixMs: sample?.timeUnixMs ?? 0, endReason: 'duration' });
