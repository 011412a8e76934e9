import { createReadStream, renameSync, rmSync, statSync } from 'node:fs';
import type { CollectorRequest } from '../../attach/collector-state.ts';
import { HeadroomError } from '../../model/errors.ts';
import { driverState } from '../../store/driver-state.ts';
import { snapshot } from '../../store/snapshot.ts';
import { collect } from './collect.ts';

// What is put into a session, as one file: `check`, `record REQUEST`, `snapshot FILE OUT`. It answers
// with one line of JSON; the other side is attach.ts and pull-recording.ts.
const [, , what = '', ...args] = process.argv;

void run()
  .catch((error: unknown) => {
    // Whoever waits for this collector has to hear of anything that ended it.
    answer({ problem: error instanceof HeadroomError ? error.message : String(error) });
    if (!(error instanceof HeadroomError)) throw error;
    return 1;
  })
  .then((code) => {
    process.exitCode = code;
  });

async function run(): Promise<number> {
  const [first = '', second = ''] = args;
  if (what === 'check') {
    const { node, modules } = process.versions;
    const { platform, arch } = process;
    answer({ ...driverState(), node, modules, platform, arch });
  } else if (what === 'record') await collect(JSON.parse(first) as CollectorRequest);
  else if (what === 'snapshot') await makeCopy(first, second);
  else return 2;
  return 0;
}

/** A copy that can be fetched: it has its name when it is whole and on the disk. */
async function makeCopy(file: string, out: string): Promise<void> {
  const part = `${out}.part`;
  rmSync(part, { force: true });
  snapshot(file, part);
  renameSync(part, out);
  // Only here: while it records it goes without.
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(out)) hash.update(chunk);
  answer({ sizeBytes: statSync(out).size, sha256: hash.digest('hex') });
}

function answer(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
