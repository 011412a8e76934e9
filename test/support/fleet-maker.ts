import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {
  decodeFooter,
  digestOf,
  encodeFooter,
  type Footer,
  footerBytes,
  pageSum,
  sumBytes,
  sumsOffset,
} from '../../src/store/seal/seal-format.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill } from './fake-sample.ts';
import { syntheticFacts, syntheticSamples } from './synthetic-session.ts';

const workloads = ['shop', 'mail', 'news'];
const templatesPerWorkload = 3;
const killEvery = 50;
const dayMs = 86_400_000;
// As long as the version that takes its place.
const anyVersion = '0.0';

/** A recording whose copies get an id and a version of their own. */
interface Template {
  id: string;
  bytes: Buffer;
  footer: Footer;
}

/**
 * Makes sealed recordings at 1 s, fast: few are recorded, the others are copies with a
 * session id and a label of their own, and the checksums that go with them. Of fifty one has an OOM kill.
 */
export class FleetMaker {
  readonly #templates: Template[];
  readonly #killed: Template;
  #made = 0;

  constructor(folder: string, tickCount: number) {
    const count = workloads.length * templatesPerWorkload;
    this.#templates = Array.from({ length: count }, (_, at) =>
      record(path.join(folder, `template-${at}.db`), { at, tickCount, end: 'healthy' }),
    );
    this.#killed = record(path.join(folder, 'template-killed.db'), {
      at: 0,
      tickCount,
      end: 'killed',
    });
  }

  make(folder: string, count: number): void {
    fs.mkdirSync(folder, { recursive: true });
    for (let at = 0; at < count; at++) {
      const number = this.#made++;
      const isKilled = number % killEvery === killEvery - 1;
      const template = this.#templates[number % this.#templates.length];
      if (template === undefined) throw new Error('there is no template');
      const version = `1.${number % 2}`;
      const bytes = copyOf(isKilled ? this.#killed : template, version);
      fs.writeFileSync(path.join(folder, `${number}.db`), bytes);
    }
  }
}

interface Story {
  at: number;
  tickCount: number;
  end: 'healthy' | 'killed';
}

function record(file: string, { at, tickCount, end }: Story): Template {
  const id = randomUUID();
  const workload = workloads[at % workloads.length] ?? '';
  const startUnixMs = syntheticFacts().startedUnixMs + at * dayMs;
  const facts = syntheticFacts({
    id,
    labels: { workload, version: anyVersion },
    startedUnixMs: startUnixMs,
  });
  const writer = StoreWriter.open(file, facts);
  const processCount = 8 + 4 * (at % workloads.length);
  let endedUnixMs = startUnixMs;
  for (const sample of syntheticSamples({ tickCount, processCount, seed: at + 1, startUnixMs })) {
    endedUnixMs = sample.timeUnixMs;
    const victim = sample.processes.find(({ role }) => role === 'renderer');
    const isLast = sample.sequence === tickCount;
    const kill = fakeOomKill({
      pid: victim?.pid ?? 0,
      comm: 'chromium',
      timeUnixMs: endedUnixMs,
      cgroup: sample.cgroup?.path ?? null,
    });
    writer.writeSample(sample, isLast && end === 'killed' ? [kill] : []);
  }
  writer.close({ endedUnixMs, endReason: 'duration' });
  const bytes = fs.readFileSync(file);
  const footer = decodeFooter(bytes.subarray(-footerBytes));
  if (footer === null) throw new Error(`${file} has no checksums`);
  fs.rmSync(file);
  return { id, bytes, footer };
}

function copyOf({ id, bytes: original, footer }: Template, version: string): Buffer {
  const bytes = Buffer.from(original);
  const { pageSizeBytes, pageCount } = footer;
  const sums = bytes.subarray(sumsOffset(footer), sumsOffset(footer) + pageCount * sumBytes);
  const patches = [
    [id, randomUUID()],
    [`"version":"${anyVersion}"`, `"version":"${version}"`],
  ] as const;
  for (const [from, to] of patches) {
    for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
      bytes.write(to, at, 'latin1');
      const page = Math.floor(at / pageSizeBytes);
      const whole = bytes.subarray(page * pageSizeBytes, (page + 1) * pageSizeBytes);
      sums.write(pageSum(whole), page * sumBytes, 'hex');
    }
  }
  encodeFooter({ ...footer, sumsDigest: digestOf(sums) }).copy(bytes, bytes.length - footerBytes);
  return bytes;
}
