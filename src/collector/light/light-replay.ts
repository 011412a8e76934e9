import type { EarlierLog } from '../../model/earlier-log.ts';
import type { RecordingEvent } from '../../model/event.ts';
import type { CollectorCost, Sample } from '../../model/sample.ts';
import type { MachineFacts } from '../../model/session.ts';
import { sessionLimit } from '../../model/session-memory.ts';
import { CgroupMemoryReader } from '../cgroup/cgroup-memory.ts';
import { CgroupPressureReader } from '../cgroup/cgroup-pressure.ts';
import { ChangeDetector } from '../change-detector.ts';
import { kernelLogEvents, processExitEvents } from '../event-sources.ts';
import { ProcessExits } from '../exits/process-exits.ts';
import { KmsgReader } from '../kmsg/kmsg-reader.ts';
import { ProcFs } from '../procfs/proc-fs.ts';
import { parseProcessStat } from '../procfs/process-stat.ts';
import { parseStatm } from '../procfs/statm.ts';
import type { EventSource } from '../recorder.ts';
import { Sampler, type Schedule } from '../sampler.ts';
import { strangersIn } from '../session-boundary.ts';
import type { LightFrame } from './frame-reader.ts';
import { LightClock } from './light-clock.ts';
import { LightFiles, lightRoot } from './light-files.ts';
import type { LightHead } from './light-head.ts';

/** A sample out of a frame, with what happened since the one before. */
export interface ReplayedSample {
  sample: Sample;
  events: RecordingEvent[];
}

export interface ReplayBegin {
  /** Of the sampler. */
  pid: number;
  first: LightFrame;
  /** What samplers of the same recording have told of the kernel's log. */
  earlierLog?: EarlierLog | null;
}

/**
 * Makes samples of the frames of one light sampler, from its first to its last: the collector's own
 * readers, over the files as they were then. What the sampler cannot see is unknown in them.
 */
export class LightReplay {
  /** Of the first frame. */
  readonly machine: MachineFacts;
  readonly startedMonotonicMs: number;
  readonly startedUnixMs: number;
  readonly #head: LightHead;
  readonly #files: LightFiles;
  readonly #clock = new LightClock();
  readonly #sampler: Sampler;
  readonly #changes: ChangeDetector;
  readonly #sources: readonly EventSource[];
  #sequence = 0;
  #missedTickCount = 0;
  #before: { sample: Sample; sequence: number } | null = null;
  /** The frame that the files are of. */
  #applied: LightFrame;

  /** Null when the frame tells no time, or not the memory of the machine. */
  static start(head: LightHead, begin: ReplayBegin): LightReplay | null {
    const { first } = begin;
    const files = new LightFiles(head);
    files.apply(first);
    const isReadable = new LightClock().set(first, files) && files.text('meminfo') !== null;
    return isReadable ? new LightReplay(head, begin, files) : null;
  }

  private constructor(
    head: LightHead,
    { pid, first, earlierLog = null }: ReplayBegin,
    files: LightFiles,
  ) {
    this.#head = head;
    this.#files = files;
    this.#applied = first;
    this.#clock.set(first, files);
    this.startedUnixMs = this.#clock.wallMs();
    this.startedMonotonicMs = this.#clock.monotonicMs();
    const proc = new ProcFs(lightRoot, files.calls);
    this.#sampler = new Sampler({
      proc,
      units: head.machine,
      ...cgroupReaders(head, new ProcFs('', files.calls)),
      clock: this.#clock,
      rootPid: null,
      isStranger: strangersIn({ cgroup: head.cgroup, hostSession: null }, proc),
      descriptorLimit: 0,
      pssChoice: {
        choose: (candidates) => candidates.filter((each) => files.hasPss(each.pid)),
        pay: () => undefined,
      },
      ownCost: { read: (schedule) => this.#costOf(proc, pid, schedule), close: () => undefined },
    });
    this.#changes = new ChangeDetector(this.#clock.suspendedMs);
    const kernelLog = new KmsgReader({
      startedMonotonicMs: this.startedMonotonicMs,
      earlier: earlierLog,
      pageSizeBytes: head.machine.pageSizeBytes,
      calls: files.kernelLogCalls,
    });
    this.#sources = [
      kernelLogEvents(kernelLog),
      processExitEvents(new ProcessExits(null, this.#clock)),
    ];
    this.machine = { ...machineFacts(head), ...limitFacts(this.#sampler) };
  }

  /** The sample of a frame, the first one included; null when it tells no time or no memory. */
  async take(frame: LightFrame, isLast: boolean): Promise<ReplayedSample | null> {
    if (frame !== this.#applied) this.#files.apply(frame);
    this.#applied = frame;
    const isReadable = this.#clock.set(frame, this.#files) && this.#files.text('meminfo') !== null;
    if (!isReadable) return null;
    const { sample, ended } = this.#sampler.take(this.#schedule());
    sample.collector.readMs = frame.readMs;
    const events = this.#changes.compare(sample).map((event) => this.#asLoss(event, frame));
    const nowUnixMs = this.#clock.wallMs();
    const moment = { sample, ended, nowMonotonicMs: this.#clock.monotonicMs(), nowUnixMs };
    for (const source of this.#sources) {
      events.push(...(isLast ? await source.finish(moment) : source.read(moment)));
    }
    this.#before = { sample, sequence: frame.sequence };
    return { sample, events };
  }

  /** A stall of which frames are missing is none: they were written, and are lost. */
  #asLoss(event: RecordingEvent, { sequence }: LightFrame): RecordingEvent {
    const isHole = this.#before !== null && sequence > this.#before.sequence + 1;
    return isHole && event.kind === 'gap' && event.gap === 'stall'
      ? { ...event, gap: 'lost' }
      : event;
  }

  /** Where the frame stands in the schedule, as far as its time tells. */
  #schedule(): Schedule {
    const { intervalMs } = this.#head;
    this.#sequence++;
    const before = this.#before?.sample.monotonicMs ?? this.#clock.monotonicMs() - intervalMs;
    const distanceMs = this.#clock.monotonicMs() - before;
    const missed = Math.max(0, Math.round(distanceMs / intervalMs) - 1);
    this.#missedTickCount += missed;
    return {
      sequence: this.#sequence,
      intervalMs,
      dueMonotonicMs: before + (missed + 1) * intervalMs,
      missedTickCount: this.#missedTickCount,
    };
  }

  // The sampler is one of the processes that it lists.
  #costOf(proc: ProcFs, pid: number, schedule: Schedule): CollectorCost {
    const { pageSizeBytes, clockTicksPerSecond } = this.#head.machine;
    const statLength = proc.read(`${pid}/stat`);
    const stat = typeof statLength === 'number' ? parseProcessStat(proc.buffer, statLength) : null;
    const ofChildren =
      typeof statLength === 'number'
        ? childTicks(proc.buffer.toString('latin1', 0, statLength))
        : 0;
    const statmLength = proc.read(`${pid}/statm`);
    const statm = typeof statmLength === 'number' ? parseStatm(proc.buffer, statmLength) : null;
    const pages = statm?.residentPages ?? stat?.rssPages ?? null;
    return {
      pid,
      readMs: null,
      latenessMs: Math.max(0, this.#clock.monotonicMs() - schedule.dueMonotonicMs),
      missedTickCount: schedule.missedTickCount,
      cpuMs: Math.round((((stat?.cpuTicks ?? 0) + ofChildren) * 1000) / clockTicksPerSecond),
      rssBytes: pages === null ? null : pages * pageSizeBytes,
    };
  }
}

// cutime and cstime of proc_pid_stat(5): a shell reads by children that it waits for.
function childTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[13]) + Number(fields[14]);
}

function cgroupReaders({ cgroup }: LightHead, files: ProcFs) {
  const memory = cgroup === null ? null : new CgroupMemoryReader(cgroup, files);
  const pressure = cgroup?.version === 2 ? new CgroupPressureReader(cgroup, files) : null;
  return {
    readCgroup: (machineTotalBytes: number) => memory?.read(machineTotalBytes) ?? null,
    readCgroupPressure: () => pressure?.read() ?? null,
  };
}

function machineFacts({ machine }: LightHead) {
  return { ...machine, browserVersion: null, sampleSource: 'proc' as const };
}

function limitFacts(sampler: Sampler) {
  const memory = sampler.readMemory();
  const limit = sessionLimit(memory);
  return {
    memoryTotalBytes: memory.machine.totalBytes,
    limitBytes: limit.bytes,
    limitSource: limit.source,
  };
}
