import { isDeepStrictEqual } from 'node:util';
import type { PagePlacement, TargetCrash } from '../../model/page-event.ts';
import type { Clock } from '../sampler.ts';
import type { ChromiumProcesses, ProcessIdentity } from './chromium-processes.ts';
import type { DevtoolsConnection, DevtoolsEvent } from './devtools-connection.ts';
import { placeTarget } from './place-target.ts';
import { shownUrl } from './shown-url.ts';
import { type Target, type TargetChange, TargetList } from './target-list.ts';
import { WorkPurse } from './work-purse.ts';

export interface PageWatchOptions {
  processes: Pick<ChromiumProcesses, 'update' | 'sweep' | 'identify' | 'isAlive'>;
  clock: Clock;
  /** User and system time of this process, ms. */
  ownCpuMs(): number;
  sleep(ms: number): Promise<void>;
  /** How much of an address is told. */
  extent: 'origin' | 'whole';
  tell(event: PagePlacement | TargetCrash): void;
}

interface WatchedTarget {
  target: Target;
  /** Where it was found last, and for a while after that has ended. */
  process: ProcessIdentity | null;
  /** When that process was seen to be gone, monotonic; null while it lives. */
  goneMs: number | null;
  /** When to look where it is, monotonic. */
  dueMs: number;
  failureCount: number;
  /** What was told of it last. */
  told: PagePlacement | null;
}

const discoverTargets = { method: 'Target.setDiscoverTargets', params: { discover: true } };
const lookEveryMs = 500;
const aliveEveryMs = 5_000;
// A new document settles first: its process is often a new one.
const settleMs = 500;
const sameSiteMs = 5_000;
const recheckMs = 120_000;
// Of many pages this takes a third of what there is to spend.
const recheckEachMs = 5_000;
const firstRetryMs = 2_000;
const longestRetryMs = 120_000;
// What one placing costs the browser: 8 to 13 ms were measured.
const browserCostMs = 13;
// How long the process of a crashed target may take to be gone: it may have a core file to write.
const dyingMs = 10_000;
const dyingLookMs = 100;
// How long the browser, on a machine that is busy, may take to say that a process has crashed.
const silentMs = 30_000;

/**
 * Follows the targets of one browser and tells in which process each of them is: looked for when it
 * appears, when it moves to another site, when its process ends, and else every two minutes; within a
 * hundredth of a core.
 */
export class PageWatch {
  readonly #options: PageWatchOptions;
  readonly #targets = new TargetList();
  readonly #watched = new Map<string, WatchedTarget>();
  readonly #purse: WorkPurse;
  /** Of those that are being told. */
  readonly #crashes = new Set<Promise<void>>();
  #aliveCheckedMs = 0;
  #isOver = () => false;

  constructor(options: PageWatchOptions) {
    this.#options = options;
    this.#purse = new WorkPurse(options.clock.monotonicMs);
  }

  /** What the browser tells of its targets. */
  take(event: DevtoolsEvent): void {
    const change = this.#targets.take(event);
    if (change !== null) this.#follow(change);
  }

  /**
   * Until the connection is over or the signal fires; then every page is told to be gone. Gives whether
   * the browser ever answered.
   */
  async run(
    connection: Pick<DevtoolsConnection, 'ask' | 'closed'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    let isClosed = false;
    void connection.closed.then(() => {
      isClosed = true;
    });
    this.#isOver = () => isClosed || signal.aborted;
    let hasAnswered = false;
    while (!this.#isOver()) {
      hasAnswered ||= (await connection.ask(discoverTargets)) !== null;
      await this.look(connection);
      await this.#options.sleep(lookEveryMs);
    }
    await Promise.all(this.#crashes);
    for (const targetId of [...this.#watched.keys()]) this.#forget(targetId);
    return hasAnswered;
  }

  /** One round: places those that are due, the longest due first, as far as the purse goes. */
  async look(connection: Pick<DevtoolsConnection, 'ask'>): Promise<void> {
    this.#findDead();
    while (!this.#isOver()) {
      const nowMs = this.#options.clock.monotonicMs();
      const due = [...this.#watched.values()]
        .filter(({ dueMs }) => dueMs <= nowMs)
        .sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined || this.#purse.leftMs() <= 0) return;
      await this.#place(connection, due);
    }
  }

  #follow(change: TargetChange): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (change.change === 'destroyed') {
      this.#forget(change.targetId);
      return;
    }
    if (change.change === 'crashed') {
      const told = this.#tellCrash(change).finally(() => this.#crashes.delete(told));
      this.#crashes.add(told);
      return;
    }
    const { target } = change;
    const known = this.#watched.get(target.targetId);
    if (known === undefined) {
      const dueMs = nowMs + settleMs;
      const fresh = { target, process: null, goneMs: null, dueMs, failureCount: 0, told: null };
      this.#watched.set(target.targetId, fresh);
      return;
    }
    const isSameSite =
      shownUrl(known.target.url, 'origin') === shownUrl(target.url, 'origin') && isFound(known);
    known.target = target;
    known.failureCount = 0;
    known.dueMs = Math.min(known.dueMs, nowMs + (isSameSite ? sameSiteMs : settleMs));
  }

  #forget(targetId: string): void {
    const watched = this.#watched.get(targetId);
    if (watched === undefined) return;
    this.#watched.delete(targetId);
    const { told } = watched;
    if (told === null) return;
    const timeUnixMs = this.#options.clock.wallMs();
    this.#options.tell({ ...told, timeUnixMs, state: 'gone', pid: null, startTicks: null });
  }

  // It never answers again unless it is loaded anew, of which nothing is told: so tried now and then.
  async #tellCrash(crash: TargetChange & { change: 'crashed' }): Promise<void> {
    const watched = this.#watched.get(crash.targetId);
    if (watched === undefined) return;
    const { clock } = this.#options;
    const timeUnixMs = clock.wallMs();
    const { process } = watched;
    watched.process = null;
    watched.goneMs = null;
    watched.dueMs = clock.monotonicMs() + firstRetryMs;
    // A process that lives on is not the one that crashed: the page had moved to another one.
    const isIt = process !== null && (await this.#isDying(process));
    this.#options.tell({
      kind: 'target_crash',
      timeUnixMs,
      targetId: crash.targetId,
      targetType: watched.target.type,
      url: shownUrl(watched.target.url, this.#options.extent),
      status: crash.status,
      errorCode: crash.errorCode,
      pid: isIt ? process.pid : null,
      startTicks: isIt ? process.startTicks : null,
    });
  }

  async #isDying(process: ProcessIdentity): Promise<boolean> {
    const { clock, processes, sleep } = this.#options;
    const untilMs = clock.monotonicMs() + dyingMs;
    while (processes.isAlive(process)) {
      if (this.#isOver() || clock.monotonicMs() >= untilMs) return false;
      await sleep(dyingLookMs);
    }
    return true;
  }

  // The kernel often knows of an end before the browser says that it was a crash: until it has had the
  // time to, the process is kept.
  #findDead(): void {
    const { clock, processes } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#aliveCheckedMs < aliveEveryMs) return;
    this.#aliveCheckedMs = nowMs;
    for (const watched of this.#watched.values()) {
      const { process, goneMs } = watched;
      if (process === null) continue;
      if (goneMs !== null) {
        if (nowMs - goneMs > silentMs) watched.process = null;
      } else if (!processes.isAlive(process)) {
        watched.goneMs = nowMs;
        watched.dueMs = Math.min(watched.dueMs, nowMs);
      }
    }
  }

  async #place(connection: Pick<DevtoolsConnection, 'ask'>, watched: WatchedTarget): Promise<void> {
    const { clock, ownCpuMs } = this.#options;
    const { target } = watched;
    const before = { ownMs: ownCpuMs(), nowMs: clock.monotonicMs() };
    // A change that comes while it is looked for makes it due again.
    watched.dueMs = Number.POSITIVE_INFINITY;
    const process = await placeTarget(connection, target.targetId, this.#options);
    this.#purse.pay(browserCostMs + ownCpuMs() - before.ownMs);
    if (this.#watched.get(target.targetId) !== watched || watched.target !== target) return;
    // No answer after the end says nothing of the page.
    if (process === null && this.#isOver()) return;
    const nowMs = clock.monotonicMs();
    if (process === null) {
      watched.failureCount++;
    } else {
      watched.process = process;
      watched.goneMs = null;
      watched.failureCount = 0;
    }
    const waitMs =
      process === null
        ? Math.min(longestRetryMs, firstRetryMs * 2 ** (watched.failureCount - 1))
        : Math.max(recheckMs, this.#watched.size * recheckEachMs);
    watched.dueMs = Math.min(watched.dueMs, nowMs + waitMs);
    // Once may be a page that was just moving.
    if (process !== null || watched.failureCount > 1) this.#tellPlacement(watched, process);
  }

  #tellPlacement(watched: WatchedTarget, process: ProcessIdentity | null): void {
    const placement = this.#placement(watched.target, process);
    if (isSame(placement, watched.told)) return;
    watched.told = placement;
    this.#options.tell(placement);
  }

  #placement(target: Target, process: ProcessIdentity | null): PagePlacement {
    return {
      kind: 'page',
      timeUnixMs: this.#options.clock.wallMs(),
      targetId: target.targetId,
      targetType: target.type,
      pageTargetId: this.#targets.pageOf(target.targetId),
      url: shownUrl(target.url, this.#options.extent),
      state: process === null ? 'unknown' : 'placed',
      pid: process?.pid ?? null,
      startTicks: process?.startTicks ?? null,
    };
  }
}

function isFound({ process, goneMs, failureCount }: WatchedTarget): boolean {
  return process !== null && goneMs === null && failureCount === 0;
}

function isSame(placement: PagePlacement, told: PagePlacement | null): boolean {
  return told !== null && isDeepStrictEqual({ ...placement, timeUnixMs: told.timeUnixMs }, told);
}
