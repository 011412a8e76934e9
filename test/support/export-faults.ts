import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { exportRecording } from '../../src/exporter/export-loop.ts';
import { resolveTarget } from '../../src/exporter/otlp/endpoint.ts';
import type { SendResult } from '../../src/exporter/otlp/response.ts';
import { type ExportCursor, readCursor } from '../../src/store/export-cursor.ts';
import { MemoryCursors } from './export-fakes.ts';
import {
  Arrivals,
  type Fault,
  type FaultyReceiver,
  faults,
  startFaultyReceiver,
} from './faulty-receiver.ts';
import { uniformNumbers } from './uniform-numbers.ts';

const program = fileURLToPath(new URL('export-child.mjs', import.meta.url));
// The rest: so that there is progress between the faults.
const faultShare = 0.8;

export interface FaultOptions {
  file: string;
  /** How many things go wrong before all is well. */
  faultCount: number;
  /** The same faults in the same order for the same seed; which request they hit is up to the machine. */
  seed: number;
}

/** What came of one signal. */
export interface FaultOutcome {
  /** What an export without faults delivers. */
  expected: number;
  arrived: number;
  /** Not there: how many, and some of them. */
  missing: string[];
  /** There, and no export without faults delivers them: wrong times, wrong attributes. */
  strange: string[];
  /** There with another value, or with two. */
  wrong: string[];
  /** What the file says became of them. */
  cursor: ExportCursor | null;
}

export interface FaultReport {
  points: FaultOutcome;
  events: FaultOutcome;
  /** How often an exporter was started. */
  starts: number;
  done: FaultyReceiver['done'];
  arrivals: Arrivals;
}

/**
 * Exports a recording with a process that is killed, to a receiver that fails, again and again until
 * nothing is left; then compares what arrived with what an export without faults sends.
 */
export async function exportUnderFaults({
  file,
  faultCount,
  seed,
}: FaultOptions): Promise<FaultReport> {
  const random = uniformNumbers(seed);
  let child: ChildProcess | null = null;
  let left = faultCount;
  const next = (): Fault | null => {
    if (left === 0 || random() >= faultShare) return null;
    left--;
    return faults[Math.floor(random() * faults.length)] ?? null;
  };
  const receiver = await startFaultyReceiver(next, () => child?.kill('SIGKILL'));
  try {
    let starts = 0;
    for (let exitCode: number | null = null; exitCode !== 0; starts++) {
      child = spawn(process.execPath, [program, file, receiver.url], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      [exitCode] = await once(child, 'exit');
    }
    const whole = await exportWithoutFaults(file);
    const { arrivals, done } = receiver;
    const { metrics, logs } = resolveTarget({ endpoint: receiver.url }, {});
    return {
      points: compare(whole.points, arrivals.points, readCursor(file, metrics.key)),
      events: compare(whole.records, arrivals.records, readCursor(file, logs?.key ?? '')),
      starts,
      done,
      arrivals,
    };
  } finally {
    child?.kill('SIGKILL');
    await receiver.close();
  }
}

async function exportWithoutFaults(file: string): Promise<Arrivals> {
  const arrivals = new Arrivals();
  const taker =
    (isLogs: boolean) =>
    async (body: Uint8Array): Promise<SendResult> => {
      arrivals.take(Buffer.from(body), { isLogs });
      return { kind: 'sent' };
    };
  await exportRecording(file, {
    target: resolveTarget({ endpoint: 'http://nobody:4318' }, {}),
    runtime: { send: taker(false), sendLogs: taker(true), cursors: new MemoryCursors() },
  });
  return arrivals;
}

function compare(
  expected: ReadonlyMap<string, ReadonlySet<string>>,
  arrived: ReadonlyMap<string, ReadonlySet<string>>,
  cursor: ExportCursor | null,
): FaultOutcome {
  const keys = [...expected.keys()];
  return {
    expected: expected.size,
    arrived: arrived.size,
    missing: keys.filter((key) => !arrived.has(key)),
    strange: [...arrived.keys()].filter((key) => !expected.has(key)),
    wrong: keys.filter((key) => {
      const texts = arrived.get(key);
      return (
        texts !== undefined &&
        (texts.size !== 1 || [...texts][0] !== [...(expected.get(key) ?? [])][0])
      );
    }),
    cursor,
  };
}
