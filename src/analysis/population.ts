import { isBrowser } from './death-cause.ts';
import { isMember } from './membership.ts';
import { hasEnded, type ProcessReport } from './processes.ts';

/** Which processes there were that nobody may have meant to keep. */
export interface PopulationReport {
  /** The renderer that lived longest, and how long it was seen. */
  oldestRenderer: { pid: number; ageMs: number } | null;
  /** Processes that outlived their browser by more than 10 s. */
  orphans: { pid: number; role: ProcessReport['role']; browserPid: number }[];
  /** Every browser of the session, by first sight. */
  browsers: { pid: number; firstUnixMs: number; lastUnixMs: number; hasEnded: boolean }[];
  /** Most of them at one time: two, where a browser was left running beside its successor. */
  browsersMax: number;
}

// Children were gone 0.6 s after their browser on a loaded machine, and reaped within 2.8 s.
const orphanMs = 10_000;

export function populationReport(processes: readonly ProcessReport[]): PopulationReport {
  const members = processes.filter(isMember);
  const browsers = members
    .filter((process) => isBrowser(process, members))
    .toSorted((a, b) => a.firstUnixMs - b.firstUnixMs);
  return {
    oldestRenderer: oldestRenderer(members),
    orphans: members
      .filter((process) => isOrphan(process, browsers))
      .map(({ pid, role, browserPid }) => ({ pid, role, browserPid: browserPid ?? 0 })),
    browsers: browsers.map((browser) => ({
      pid: browser.pid,
      firstUnixMs: browser.firstUnixMs,
      lastUnixMs: browser.lastUnixMs,
      hasEnded: hasEnded(browser),
    })),
    browsersMax: Math.max(0, ...browsers.map((browser) => besides(browser, browsers))),
  };
}

function oldestRenderer(members: readonly ProcessReport[]): PopulationReport['oldestRenderer'] {
  const oldest = members
    .filter(({ role }) => role === 'renderer')
    .map(({ pid, firstUnixMs, lastUnixMs }) => ({ pid, ageMs: lastUnixMs - firstUnixMs }))
    .toSorted((a, b) => b.ageMs - a.ageMs)[0];
  return oldest ?? null;
}

// The crash handler is told of its browser's end and may outlive it by a moment more.
function isOrphan(process: ProcessReport, browsers: readonly ProcessReport[]): boolean {
  if (process.pid === process.browserPid || process.isZombie) return false;
  const browser = browsers.findLast(
    ({ pid, firstUnixMs }) =>
      pid === process.browserPid && firstUnixMs <= process.firstUnixMs + orphanMs,
  );
  return (
    browser !== undefined && hasEnded(browser) && process.lastUnixMs > browser.lastUnixMs + orphanMs
  );
}

/** How many browsers lived when this one was first seen, itself included. */
function besides(browser: ProcessReport, browsers: readonly ProcessReport[]): number {
  return browsers.filter(
    ({ firstUnixMs, lastUnixMs }) =>
      firstUnixMs <= browser.firstUnixMs && lastUnixMs >= browser.firstUnixMs,
  ).length;
}
