import { type BriefTick, bindingCgroup } from '../model/session-memory.ts';
import { formatInstant, formatRatio } from './format.ts';
import type { TickTracker } from './tick-tracker.ts';

/**
 * A stretch in which the session stood at its limit and did little but read back file pages that had
 * just been thrown out: its own program. The kernel sees progress in that and kills nobody, for
 * minutes. Measured: four of four browsers that leaked slowly, with their program's pages inside of
 * a limit of 1 GiB, ended so (refaults 60,000 to 250,000 a second, PSI full 31 to 93 %).
 */
export interface StallReport {
  fromUnixMs: number;
  toUnixMs: number;
  /** The most of any {@link stallWindowMs}: file pages read back, a second. */
  refaultsPerSecond: number;
  /** The largest share of any such window in which tasks waited for memory. */
  waitingRatio: number;
  /** `full`: all of them at once; `some`: at least one, where the figure is the whole machine's. */
  waiting: 'full' | 'some';
}

/** As long as a share of stall time needs to be one. */
export const stallWindowMs = 10_000;
/** Of the limit, charged or not free: the kernel leaves next to nothing free once it reclaims. */
export const pinnedRatio = 0.95;
export const stallRefaultsPerSecond = 10_000;
export const stallWaitingRatio = 0.2;

/**
 * Finds memory stalls: every window of 10 s in which memory was pinned at the limit at each sample,
 * with 10,000 refaults a second and tasks waiting for more than a fifth of it. A session in a limit
 * of its own on cgroup v1 has no pressure figure of its own: then that of the machine says whether
 * any task waited, as `full` would need all others on the machine to stand still as well.
 */
export function trackStalls(): TickTracker<StallReport[], BriefTick> {
  const stalls: StallReport[] = [];
  let window: BriefTick[] = [];
  return {
    add(tick) {
      const last = window.at(-1);
      const isContinued = last === undefined || tick.monotonicMs >= last.monotonicMs;
      if (!isPinned(tick)) window = [];
      else if (isContinued) window.push(tick);
      else window = [tick];
      while (tick.monotonicMs - (window[1]?.monotonicMs ?? tick.monotonicMs) >= stallWindowMs) {
        window.shift();
      }
      const stall = stallOf(window);
      if (stall !== null) extend(stalls, stall);
    },
    beginAnew() {
      window = [];
    },
    result: () => stalls,
  };
}

// A caller of a browser that no longer answers gives up after 30 s, by most defaults.
const patienceMs = 60_000;

/** The stall in which, or soon after which, that time lies; null: none. */
export function stallAround(unixMs: number, stalls: readonly StallReport[]): StallReport | null {
  return (
    stalls.find(
      ({ fromUnixMs, toUnixMs }) => unixMs >= fromUnixMs && unixMs <= toUnixMs + patienceMs,
    ) ?? null
  );
}

/** A stall as one piece of evidence. */
export function stallWords(stall: StallReport): string {
  const who = stall.waiting === 'full' ? 'all tasks' : 'tasks of this machine';
  return `memory stood at its limit from ${formatInstant(stall.fromUnixMs)} to ${formatInstant(stall.toUnixMs)}, up to ${stall.refaultsPerSecond.toLocaleString('en')} file pages a second were read back, and ${who} waited for memory for up to ${formatRatio(stall.waitingRatio)} of the time`;
}

function isPinned(tick: BriefTick): boolean {
  const cgroup = bindingCgroup(tick);
  if (cgroup !== null) {
    const { chargedBytes, limitBytes } = cgroup;
    return chargedBytes !== null && chargedBytes >= pinnedRatio * (limitBytes ?? Infinity);
  }
  const { totalBytes, freeBytes } = tick.machine;
  return totalBytes - freeBytes >= pinnedRatio * totalBytes;
}

function stallOf(window: readonly BriefTick[]): StallReport | null {
  const [first] = window;
  const last = window.at(-1);
  if (first === undefined || last === undefined || spanMs(window) < stallWindowMs) return null;
  const waiting = hasOwnPressure(last) ? 'full' : 'some';
  const field = waiting === 'full' ? 'memoryFullMs' : 'memorySomeMs';
  const waitedMs = difference(first.pressure[field], last.pressure[field]);
  const refaults = difference(first.activity.refaultFileCount, last.activity.refaultFileCount);
  if (waitedMs === null || refaults === null) return null;
  const waitingRatio = waitedMs / spanMs(window);
  const refaultsPerSecond = Math.round((1000 * refaults) / spanMs(window));
  if (waitingRatio < stallWaitingRatio || refaultsPerSecond < stallRefaultsPerSecond) return null;
  const times = { fromUnixMs: first.timeUnixMs, toUnixMs: last.timeUnixMs };
  return { ...times, refaultsPerSecond, waitingRatio, waiting };
}

// On v1, and where the machine's memory is the limit, the figure is the machine's.
function hasOwnPressure(tick: BriefTick): boolean {
  return bindingCgroup(tick)?.version !== 1;
}

function extend(stalls: StallReport[], stall: StallReport): void {
  const last = stalls.at(-1);
  if (last === undefined || stall.fromUnixMs > last.toUnixMs) {
    stalls.push(stall);
    return;
  }
  last.toUnixMs = stall.toUnixMs;
  last.refaultsPerSecond = Math.max(last.refaultsPerSecond, stall.refaultsPerSecond);
  last.waitingRatio = Math.max(last.waitingRatio, stall.waitingRatio);
}

function difference(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from);
}

function spanMs(window: readonly BriefTick[]): number {
  return (window.at(-1)?.monotonicMs ?? 0) - (window[0]?.monotonicMs ?? 0);
}
