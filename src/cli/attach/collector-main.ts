import { createReadStream, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseCollectorRequest } from '../../attach/collector-state.ts';
import { collectorFiles } from '../../attach/session-scripts.ts';
import { HeadroomError } from '../../model/errors.ts';
import { driverState } from '../../store/driver-state.ts';
import { snapshot } from '../../store/snapshot.ts';
import { collect } from './collect.ts';

// What is put into a session, as one file: `check`, `record`, `snapshot FILE OUT`. It answers with
// one line of JSON; the other side is src/attach. What is recorded stands beside it in request.json.
const [, program = '', what = '', ...args] = process.argv;

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
  } else if (what === 'record') await record(path.dirname(program));
  else if (what === 'snapshot') await makeCopy(first, second);
  else return 2;
  return 0;
}

async function record(folder: string): Promise<void> {
  const request = parseCollectorRequest(readFileSync(collectorFiles(folder).request, 'utf8'));
  if (request === null) throw new Error('request.json: is not what was asked for');
  await collect(folder, request);
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
