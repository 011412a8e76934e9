import path from 'node:path';
import { exportRecording } from '../../src/exporter/export-loop.ts';
import { resolveTarget } from '../../src/exporter/otlp/endpoint.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from '../../test/support/synthetic-session.ts';

export interface Play {
  startUnixMs: number;
  minutes: number;
  intervalMs: number;
  /** A folder for the recordings of those that are copied. */
  folder: string;
}

/** The requests of one session, oldest first, as our exporter makes them. */
export interface PlayedSession {
  bodies: readonly Buffer[];
}

const processCount = 12;
const tiers = ['1GiB', '2GiB', '8GiB'];

/** A synthetic session of its own kind that goes on, in one of three tiers. */
export async function playSession(kind: number, play: Play): Promise<PlayedSession> {
  const file = path.join(play.folder, `${kind}.db`);
  const writer = record(file, kind, play);
  const bodies: Buffer[] = [];
  // While it is open it is live: nothing of the end of a session is sent.
  await exportRecording(file, {
    target: resolveTarget({ endpoint: 'http://127.0.0.1', sendsLogs: false }, {}),
    runtime: {
      send: async (body) => {
        bodies.push(Buffer.from(body));
        return { kind: 'sent' };
      },
    },
  });
  writer.close({ endedUnixMs: play.startUnixMs + play.minutes * 60_000, endReason: 'duration' });
  return { bodies };
}

/** The same request as if it were of another session: ids are of one length. */
export function asSession(body: Buffer, kind: number, number: number): Buffer {
  const copy = Buffer.from(body);
  const [from, to] = [kindId(kind), sessionId(number)];
  for (let at = copy.indexOf(from); at !== -1; at = copy.indexOf(from, at + from.length)) {
    copy.write(to, at, 'latin1');
  }
  return copy;
}

function record(
  file: string,
  kind: number,
  { startUnixMs, minutes, intervalMs }: Play,
): StoreWriter {
  const facts = syntheticFacts({
    id: kindId(kind),
    startedUnixMs: startUnixMs,
    intervalMs,
    labels: { tier: tiers[kind % tiers.length] ?? '', workload: `w${kind}` },
  });
  const writer = StoreWriter.open(file, facts);
  const tickCount = Math.floor((minutes * 60_000) / intervalMs);
  for (const sample of syntheticSamples({
    ...{ tickCount, processCount, intervalMs, startUnixMs },
    seed: kind + 1,
  })) {
    writer.writeSample(sample, []);
  }
  return writer;
}

function kindId(kind: number): string {
  return idOf('00000000-0000-4000-9000', kind);
}

function sessionId(number: number): string {
  return idOf('00000000-0000-4000-8000', number);
}

function idOf(prefix: string, number: number): string {
  return `${prefix}-${String(number).padStart(12, '0')}`;
}
