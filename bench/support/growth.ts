import { setTimeout as sleep } from 'node:timers/promises';
import type { CleanUp } from './clean-up.ts';
import { Contender } from './contender.ts';
import { countProcesses, startSleepers } from './load.ts';

/** What one tick costs with so many processes, µs of CPU. */
export interface GrowthPoint {
  processCount: number;
  collectorUs: number;
  /** Null without a C compiler. */
  floorUs: number | null;
}

export interface GrowthPlan {
  /** Node's command of the collector, and the C program's if there is one. */
  collector: readonly string[];
  floor: readonly string[] | null;
  intervalMs: number;
  /** At each number of processes. */
  seconds: number;
  interrupted: AbortSignal;
}

/** Idle processes that are there at most, in groups that go one after the other. */
const groups = [500, 500, 1_000];
// The collector looks closer at processes that are younger.
const settleSeconds = 32;
const restSeconds = 3;

/** Measures at the most processes first and lets them go group by group. Fewest first in the result. */
export async function measureGrowth(plan: GrowthPlan, cleanUp: CleanUp): Promise<GrowthPoint[]> {
  const stops = [];
  for (const count of groups) stops.push(await startSleepers(count, cleanUp));
  const collector = start(plan.collector, cleanUp);
  const floor = plan.floor === null ? null : start(plan.floor, cleanUp);
  await sleep(settleSeconds * 1_000, undefined, { signal: plan.interrupted });

  const points = [await measure(collector, floor, plan)];
  for (const stop of stops.reverse()) {
    await stop();
    await sleep(restSeconds * 1_000, undefined, { signal: plan.interrupted });
    points.unshift(await measure(collector, floor, plan));
  }
  return points;
}

/** µs a process and tick: the slope of the straight line through the points. */
export function costPerProcessUs(points: readonly GrowthPoint[]): number {
  const meanCount = mean(points.map(({ processCount }) => processCount));
  const meanUs = mean(points.map(({ collectorUs }) => collectorUs));
  let covariance = 0;
  let variance = 0;
  for (const { processCount, collectorUs } of points) {
    covariance += (processCount - meanCount) * (collectorUs - meanUs);
    variance += (processCount - meanCount) ** 2;
  }
  return covariance / variance;
}

function start(command: readonly string[], cleanUp: CleanUp): Contender {
  const contender = new Contender(command);
  cleanUp.add(() => contender.stop());
  return contender;
}

async function measure(
  collector: Contender,
  floor: Contender | null,
  { intervalMs, seconds, interrupted }: GrowthPlan,
): Promise<GrowthPoint> {
  const beforeMs = [collector.cpuMs(), floor?.cpuMs() ?? 0] as const;
  const startMs = performance.now();
  await sleep(seconds * 1_000, undefined, { signal: interrupted });
  const ticks = (performance.now() - startMs) / intervalMs;
  const perTickUs = (contender: Contender, before: number) =>
    ((contender.cpuMs() - before) * 1_000) / ticks;
  for (const contender of [collector, floor]) {
    const failure = contender?.failure() ?? null;
    if (failure !== null) throw new Error(failure);
  }
  return {
    processCount: countProcesses(),
    collectorUs: perTickUs(collector, beforeMs[0]),
    floorUs: floor === null ? null : perTickUs(floor, beforeMs[1]),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
