import fs from 'node:fs';
import { type FramePart, FrameReader } from '../../collector/light/frame-reader.ts';
import { LightReplay } from '../../collector/light/light-replay.ts';
import type { EarlierLog } from '../../model/earlier-log.ts';
import { HeadroomError } from '../../model/errors.ts';
import type { RecordingEvent } from '../../model/event.ts';
import type { SessionFacts } from '../../model/session.ts';
import { StoreWriter } from '../../store/writer.ts';
import type { EarlierCopy } from './earlier-copy.ts';

/**
 * Makes a recording of the frames of a light sampler, `frames` being the bytes of its files in their
 * order. What was cut or damaged is left out, and is a gap. A sampler that was started again goes on in
 * the same recording. With an `earlier` one of the same sampler, what was made then of frames that are no
 * longer there stays. FILE_CORRUPT when not one frame can be read; errors of the new file as of
 * {@link StoreWriter}.
 */
export async function convertFrames(
  frames: AsyncIterable<Uint8Array>,
  out: string,
  earlier: EarlierCopy | null = null,
): Promise<{ sampleCount: number }> {
  const reader = new FrameReader();
  let run: Run | null = null;
  let log: BootLog | null = null;
  let sampleCount = 0;
  for await (const bytes of frames) {
    for (const part of reader.read(bytes)) {
      if (run !== null && !run.isSame(part)) {
        sampleCount += await run.finish(false);
        log = run.log;
        run = null;
      }
      run ??= Run.start(part, { out, earlier, log });
      await run?.add(part);
    }
  }
  if (run !== null) sampleCount += await run.finish(true);
  if (sampleCount > 0) return { sampleCount };
  throw new HeadroomError('FILE_CORRUPT', `${out}: no frame of the light sampler can be read`, {
    hint: 'Its first one takes a moment: pull it again.',
  });
}

/** What was told of the kernel's log in one boot of the machine. */
interface BootLog extends EarlierLog {
  bootId: string | null;
}

interface RunPlace {
  out: string;
  earlier: EarlierCopy | null;
  log: BootLog | null;
}

/** The frames of one process, from its start to its end. */
class Run {
  /** With this run. */
  readonly log: BootLog;
  readonly #pid: number;
  readonly #replay: LightReplay;
  readonly #writer: StoreWriter;
  #waiting: FramePart | null = null;
  #lastUnixMs: number;
  #firstEvents: RecordingEvent[];
  #sampleCount = 0;
  /** What of it is in the recording already. */
  readonly #earlier: EarlierCopy | null;
  #skipped = { sampleCount: 0, missedTickCount: 0 };

  /** Null when the first frame is of no use. */
  static start(part: FramePart, { out, earlier, log: before }: RunPlace): Run | null {
    const { bootId } = part.head.machine;
    const earlierLog = bootId !== null && before?.bootId === bootId ? before : null;
    const { pid, frame: first } = part;
    const replay = LightReplay.start(part.head, { pid, first, earlierLog });
    if (replay === null) return null;
    const { startedMonotonicMs } = replay;
    const log = earlierLog ?? { bootId, startedMonotonicMs, killSequence: null };
    const isOlder = earlier?.beginsBefore(replay.startedUnixMs) ?? false;
    if (earlier === null || !isOlder) return new Run(part, replay, { out, earlier: null, log });
    if (!fs.existsSync(out) || fs.statSync(out).size === 0) fs.copyFileSync(earlier.path, out);
    return new Run(part, replay, { out, earlier, log });
  }

  private constructor(
    { head, pid }: FramePart,
    replay: LightReplay,
    { out, earlier, log }: Omit<RunPlace, 'log'> & { log: BootLog },
  ) {
    this.log = { ...log };
    this.#pid = pid;
    this.#replay = replay;
    this.#earlier = earlier;
    this.#lastUnixMs = replay.startedUnixMs;
    const facts: SessionFacts = {
      id: head.sessionId,
      source: head.source,
      labels: head.labels,
      startedUnixMs: replay.startedUnixMs,
      endedUnixMs: null,
      endReason: null,
      intervalMs: head.intervalMs,
      machine: replay.machine,
      collectorVersion: head.collectorVersion,
    };
    // The recorder that the file names is this process, from the run before.
    this.#writer = StoreWriter.open(out, facts, { resume: true, isAlive: () => false });
    this.#firstEvents = [
      {
        kind: 'note',
        timeUnixMs: replay.startedUnixMs,
        code: 'source_unreadable',
        message: `recorded by the light sampler (${head.sampler}): ${unknowns[head.sampler]} are not known`,
      },
    ];
  }

  isSame({ pid, frame }: FramePart): boolean {
    return pid === this.#pid && frame.sequence > (this.#waiting?.frame.sequence ?? 0);
  }

  /** The one before is written: of the last one it has to be known that it is. */
  async add(part: FramePart): Promise<void> {
    await this.#write(false);
    this.#waiting = part;
  }

  /** Gives how many samples there were. */
  async finish(isLastRun: boolean): Promise<number> {
    const isOver = this.#waiting?.frame.isLast === true;
    await this.#write(true);
    this.#writer.close(
      isOver || !isLastRun
        ? { endedUnixMs: this.#lastUnixMs, endReason: isOver ? 'signal' : 'lost' }
        : { endedUnixMs: null, endReason: 'copied' },
    );
    return this.#sampleCount;
  }

  async #write(isLast: boolean): Promise<void> {
    if (this.#waiting === null) return;
    const { frame } = this.#waiting;
    const replayed = await this.#replay.take(frame, isLast);
    if (replayed === null) return;
    const { sample, events } = replayed;
    this.#lastUnixMs = sample.timeUnixMs;
    this.#sampleCount++;
    for (const event of events) {
      if (event.kind !== 'oom_kill' || event.kmsgSequence === null) continue;
      this.log.killSequence = Math.max(this.log.killSequence ?? 0, event.kmsgSequence);
    }
    if (this.#earlier?.has(sample, this.#replay.machine.bootId) === true) {
      this.#firstEvents = [];
      this.#skipped.sampleCount++;
      this.#skipped.missedTickCount = this.#earlier.missedMoreThan(sample);
      return;
    }
    // Its counters go on as if all frames were there.
    sample.sequence -= this.#skipped.sampleCount;
    sample.collector.missedTickCount += this.#skipped.missedTickCount;
    this.#writer.writeSample(sample, [...this.#firstEvents.splice(0), ...events]);
  }
}

const unknowns = {
  perl: 'zram, /dev/shm, and how processes ended',
  shell: 'PSS, zram, /dev/shm, the kernel log, and how processes ended',
};
