import type { VmChange } from '../../model/agentos.ts';
import type { RecordingEvent } from '../../model/event.ts';
import { type GuestRow, guestRowsOf } from './guest-row.ts';
import { GuestTable, publicPidOf } from './guest-table.ts';
import { onSidecarExit } from './sidecar-exit.ts';
import { noCounters, numberOf, type VmCounters, vmCountersOf } from './vm-counters.ts';
import { vmNewsOf } from './vm-frame.ts';
import { field, hasExited, type StartedProcess, type VmHandle } from './vm-handle.ts';

/** How the VM went away. */
export type VmEnd = 'disposed' | 'lost';

export interface VmWatchOptions {
  /** The sidecar as the kernel knows it; null where it could not be found. */
  sidecar: { pid: number; startTicks: number } | null;
  wallMs(): number;
}

/** Asked again only when the last question was answered; what came too late is no figure of this tick. */
export interface VmAnswer {
  counters: VmCounters;
  /** Whether the VM answered, were it by refusing. */
  isAnswered: boolean;
}

const teardownMs = 10_000;
// The answer has all queues of the sidecar in it, and takes as much CPU as the table of processes: where
// that has no news every second time will do. In between nothing is known.
const countersEveryQuestions = 2;
// It is gone, or was silent for 30 s: then its own client kills it.
const lossNames: ReadonlySet<string> = new Set(['SidecarProcessExited', 'SidecarSilenceTimeout']);

/**
 * Follows one VM: its frames as they come, its table and counters when they are asked for. Everything
 * that it notices waits here until it is taken with the next sample.
 */
export class VmWatch {
  readonly #handle: VmHandle;
  readonly #options: VmWatchOptions;
  readonly #guests: GuestTable;
  readonly #unsubscribe: () => void;
  /** What the owner started, by the pid that the client shows. */
  readonly #started = new Map<number, StartedProcess | null>();
  readonly #told = new Set<string>();
  #events: RecordingEvent[] = [];
  #asking: Promise<VmCounters | null> | null = null;
  #questionsSinceCounters = countersEveryQuestions;
  #lossMessage: string | null = null;
  #lossUnixMs: number | null = null;
  #end: VmEnd | null = null;
  #onEnd: ((end: VmEnd) => void) | null = null;

  constructor(handle: VmHandle, options: VmWatchOptions) {
    this.#handle = handle;
    this.#options = options;
    this.#guests = new GuestTable((publicPid) => this.#started.get(publicPid) ?? null);
    this.#events.push(this.#change('attached'));
    const unsubscribe = handle.onEvent((frame) => this.#hear(frame));
    const forgetExit =
      handle.sidecar === null
        ? null
        : onSidecarExit(handle.sidecar, (code, signal) => this.#sidecarEnded(code, signal));
    this.#unsubscribe = () => {
      unsubscribe();
      forgetExit?.();
    };
  }

  /** Calls this once, when the VM is no more. */
  onEnd(listener: (end: VmEnd) => void): void {
    this.#onEnd = listener;
    if (this.#end !== null) listener(this.#end);
  }

  /** Asks the VM, and waits for so long at most. Never rejects. */
  async ask(waitMs: number): Promise<VmAnswer> {
    if (this.#end !== null) return { counters: noCounters, isAnswered: false };
    const isBusy = this.#asking !== null;
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = null;
    });
    const counters = await within(waitMs, this.#asking);
    // What was asked at an earlier tick is no figure of this one.
    if (counters === null || isBusy) {
      return { counters: { ...noCounters, sidecarVmCount: this.#vmCount() }, isAnswered: false };
    }
    return { counters, isAnswered: true };
  }

  /** Everything since the last call. */
  take(): RecordingEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Ends the subscription; the VM goes on. Nothing is noticed any more. */
  close(): void {
    this.#unsubscribe();
    if (this.#end === null) this.#events.push(this.#change('detached'));
    this.#end ??= 'disposed';
  }

  async #askNow(): Promise<VmCounters | null> {
    const rows = guestRowsOf(await this.#answer(() => this.#handle.processes()));
    if (rows !== null) await this.#learnStarts(rows);
    if (this.#end !== null) return null;
    const news = rows === null ? [] : this.#guests.observe(rows, this.#options.wallMs());
    this.#events.push(...news);
    this.#questionsSinceCounters++;
    const isDue = news.length > 0 || this.#questionsSinceCounters >= countersEveryQuestions;
    const answer = isDue ? await this.#answer(() => this.#handle.resources()) : null;
    if (isDue) this.#questionsSinceCounters = 0;
    if (this.#end !== null) return null;
    return vmCountersOf(answer, { rows, vmCount: this.#vmCount() });
  }

  /** Null where it was refused. */
  async #answer(question: () => Promise<unknown>): Promise<unknown> {
    try {
      return await question();
    } catch (refusal) {
      if (this.#end === null) this.#refused(refusal);
      return null;
    }
  }

  /** The exact start and the name of those that the owner started, once for each. */
  async #learnStarts(rows: readonly GuestRow[]): Promise<void> {
    const pids = rows.map(({ processId }) => publicPidOf(processId)).filter((pid) => pid !== null);
    const there = new Set(pids);
    for (const pid of this.#started.keys()) if (!there.has(pid)) this.#started.delete(pid);
    const unknown = pids.filter((pid) => !this.#started.has(pid));
    const started = await Promise.all(unknown.map((pid) => this.#handle.startedProcess(pid)));
    for (const [index, pid] of unknown.entries()) this.#started.set(pid, started[index] ?? null);
  }

  #refused(reason: unknown): void {
    const message =
      reason instanceof Error ? (reason.message.split('\n')[0] ?? '') : String(reason);
    if (message.includes('ERR_AGENTOS_REQUEST_ADMISSION_CLOSED')) {
      this.#finish('disposed', { message: null });
    } else if (lossNames.has(String(field(reason, 'name')))) {
      this.#clientLostIt(reason, message);
    } else {
      this.#noteOnce(message);
    }
  }

  // Its owner is told later how it ended: of gigabytes it takes seconds to be torn down.
  #clientLostIt(reason: unknown, message: string): void {
    const { sidecar } = this.#handle;
    const nowUnixMs = this.#options.wallMs();
    this.#lossMessage ??= message;
    this.#lossUnixMs ??= nowUnixMs;
    const isEarly = nowUnixMs - this.#lossUnixMs < teardownMs;
    if (isEarly && sidecar !== null && !hasExited(sidecar)) return;
    const signal = field(reason, 'signal');
    this.#finish('lost', {
      message: this.#lossMessage,
      exitCode: numberOf(field(reason, 'exitCode')),
      signal: typeof signal === 'string' ? signal : null,
    });
  }

  #noteOnce(message: string): void {
    // A policy that forbids to look forbids it at every tick; the rest goes on without.
    const words = message.replace(/^sidecar rejected request \d+: /, '');
    if (this.#told.has(words)) return;
    this.#told.add(words);
    this.#events.push({
      kind: 'note',
      timeUnixMs: this.#options.wallMs(),
      code: 'source_unreadable',
      message: `the VM ${this.#handle.vmId} does not tell its processes or counters: ${words}`,
    });
  }

  #hear(frame: unknown): void {
    const news = vmNewsOf(frame, this.#handle.vmId);
    if (news === null || this.#end !== null) return;
    const timeUnixMs = this.#options.wallMs();
    switch (news.what) {
      case 'exited':
        this.#events.push(...this.#guests.exited(news.processId, news.exitCode, timeUnixMs));
        break;
      case 'limit_warning': {
        const { what: _, ...warning } = news;
        const vmCount = this.#vmCount();
        this.#events.push({ kind: 'limit_warning', timeUnixMs, ...warning, vmCount });
        break;
      }
      case 'disposed':
        this.#finish('disposed', { message: null });
    }
  }

  #sidecarEnded(exitCode: number | null, signal: string | null): void {
    const { sidecar, wallMs } = this.#options;
    if (sidecar !== null) {
      this.#events.push({
        kind: 'process_exit',
        timeUnixMs: wallMs(),
        ...sidecar,
        role: 'other',
        exitCode,
        signal,
        source: 'owner',
      });
    }
    // Its owner let it go: that it does when the sidecar is disposed of.
    const isOrderly = exitCode === 0 && signal === null && this.#lossMessage === null;
    this.#finish(isOrderly ? 'disposed' : 'lost', {
      message: this.#lossMessage,
      exitCode,
      signal,
    });
  }

  /** One event tells why; what goes with it is told as gone with it. */
  #finish(end: VmEnd, how: Partial<Pick<VmChange, 'exitCode' | 'signal' | 'message'>>): void {
    if (this.#end !== null) return;
    this.#end = end;
    const timeUnixMs = this.#options.wallMs();
    const source = end === 'lost' ? 'vm_lost' : 'vm_disposed';
    this.#events.push({ ...this.#change(end), ...how }, ...this.#guests.endAll(source, timeUnixMs));
    this.#onEnd?.(end);
  }

  #change(state: VmChange['state']): VmChange {
    const { sidecar, wallMs } = this.#options;
    return {
      kind: 'vm',
      timeUnixMs: wallMs(),
      state,
      vmId: this.#handle.vmId,
      sidecarPid: sidecar?.pid ?? null,
      sidecarStartTicks: sidecar?.startTicks ?? null,
      vmCount: this.#vmCount(),
      exitCode: null,
      signal: null,
      message: null,
    };
  }

  #vmCount(): number | null {
    return this.#handle.vmCount();
  }
}

/** Null when it took longer. The timer keeps the program alive for that long: an answer may be due. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
