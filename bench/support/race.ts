import { setTimeout as sleep } from 'node:timers/promises';
import type { CleanUp } from './clean-up.ts';
import { Contender } from './contender.ts';
import type { Absentee, Contestant } from './contestants.ts';
import { firstAnswer, Scraper } from './scraper.ts';

export interface Usage {
  /** CPU time each second, ms: of the windows of some seconds the middle one, and of the whole. */
  medianCpuMs: number;
  meanCpuMs: number;
  rssBytes: number;
  anonBytes: number;
  /** What it printed last. */
  said: string;
}

export interface Result {
  id: Contestant['id'];
  name: string;
  /** Or why there is no figure. */
  usage: Usage | { reason: string };
}

export interface RaceTimes {
  warmUpSeconds: number;
  seconds: number;
  interrupted: AbortSignal;
}

interface Runner {
  contestant: Contestant;
  contender: Contender;
  /** CPU time a second in each window, ms. */
  windows: number[];
}

const windowSeconds = 5;

/**
 * Runs everybody at once, so that all of them see the same machine at the same time: what disturbs
 * one disturbs the others.
 */
export async function race(
  entries: readonly (Contestant | Absentee)[],
  times: RaceTimes,
  cleanUp: CleanUp,
): Promise<Result[]> {
  const runners: Runner[] = [];
  for (const entry of entries) {
    if (!('command' in entry)) continue;
    const contender = new Contender(entry.command);
    cleanUp.add(() => contender.stop());
    runners.push({ contestant: entry, contender, windows: [] });
  }
  const scraper = await startScraping(runners);
  cleanUp.add(() => scraper.stop());
  await sleep(times.warmUpSeconds * 1_000, undefined, { signal: times.interrupted });
  await measureWindows(runners, times);

  const finished = await Promise.all(runners.map((runner) => finish(runner, scraper)));
  return entries.map(
    (entry) =>
      finished.find(({ id }) => id === entry.id) ?? {
        id: entry.id,
        name: entry.name,
        usage: { reason: 'reason' in entry ? entry.reason : 'it did not run' },
      },
  );
}

async function startScraping(runners: readonly Runner[]): Promise<Scraper> {
  const urls = runners.flatMap(({ contestant }) => contestant.url ?? []);
  for (const url of urls) await firstAnswer(url);
  return new Scraper(urls);
}

async function measureWindows(runners: readonly Runner[], times: RaceTimes): Promise<void> {
  const count = Math.max(1, Math.round(times.seconds / windowSeconds));
  let before = reading(runners);
  for (let window = 0; window < count; window++) {
    await sleep(windowSeconds * 1_000, undefined, { signal: times.interrupted });
    const after = reading(runners);
    const seconds = (after.atMs - before.atMs) / 1_000;
    for (const [at, runner] of runners.entries()) {
      runner.windows.push(((after.cpuMs[at] ?? 0) - (before.cpuMs[at] ?? 0)) / seconds);
    }
    before = after;
  }
}

// One that has ended is told apart at the end; until then it uses nothing.
function reading(runners: readonly Runner[]) {
  return {
    atMs: performance.now(),
    cpuMs: runners.map(({ contender }) => (contender.failure() === null ? contender.cpuMs() : 0)),
  };
}

async function finish(runner: Runner, scraper: Scraper): Promise<Result> {
  const { contestant, contender, windows } = runner;
  const { id, name, url } = contestant;
  const failure = contender.failure() ?? scraper.failure(url ?? '');
  if (failure !== null) return { id, name, usage: { reason: failure } };
  const memory = contender.memory();
  const said = await contender.stop();
  const meanCpuMs = windows.reduce((sum, cpuMs) => sum + cpuMs, 0) / windows.length;
  return { id, name, usage: { medianCpuMs: median(windows), meanCpuMs, ...memory, said } };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
