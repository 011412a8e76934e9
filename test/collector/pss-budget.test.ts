import { describe, expect, test } from 'vitest';
import { PssBudget, type PssCandidate } from '../../src/collector/pss-budget.ts';

const mib = 2 ** 20;

/** 1 % of a core, everybody once a minute. */
function budgetOf(): PssBudget {
  return new PssBudget({ cpuShare: 0.01, maxAgeMs: 60_000 });
}

function candidate(pid: number, parts: Partial<PssCandidate> = {}): PssCandidate {
  return { pid, rssBytes: 100 * mib, anonBytes: 50 * mib, lastPss: null, ...parts };
}

function pids(chosen: readonly PssCandidate[]): number[] {
  return chosen.map(({ pid }) => pid);
}

describe('what is worth reading', () => {
  const read = { anonBytes: 50 * mib, monotonicMs: 0 };

  test('never read before everything else, the largest first', () => {
    const chosen = budgetOf().choose(
      [
        candidate(1, { rssBytes: 10 * mib }),
        candidate(2, { lastPss: { ...read, monotonicMs: -1e9 }, anonBytes: 5_000 * mib }),
        candidate(3, { rssBytes: 300 * mib }),
      ],
      0,
    );
    expect(pids(chosen)).toEqual([3, 1, 2]);
  });

  test.each([
    ['fresh and unchanged', { ageMs: 59_999, anon: 50 }, false],
    ['a minute old', { ageMs: 60_000, anon: 50 }, true],
    ['grown by a fifth', { ageMs: 0, anon: 60 }, true],
    ['grown by less', { ageMs: 0, anon: 59.9 }, false],
    ['shrunk by a fifth', { ageMs: 0, anon: 40 }, true],
  ])('%s', (_, { ageMs, anon }, isDue) => {
    const now = 1e6;
    const one = candidate(1, {
      anonBytes: anon * mib,
      lastPss: { anonBytes: 50 * mib, monotonicMs: now - ageMs },
    });
    expect(budgetOf().choose([one], now)).toHaveLength(isDue ? 1 : 0);
  });

  test('a small process is not due for a few pages', () => {
    const small = candidate(1, {
      anonBytes: 2 * mib,
      lastPss: { anonBytes: 1 * mib, monotonicMs: 0 },
    });
    expect(budgetOf().choose([small], 0)).toEqual([]);
  });

  test('nothing to choose from', () => {
    expect(budgetOf().choose([], 0)).toEqual([]);
  });
});

describe('the allowance', () => {
  test('a share of 0 reads nothing, ever', () => {
    const budget = new PssBudget({ cpuShare: 0, maxAgeMs: 60_000 });
    expect(budget.choose([candidate(1)], 0)).toEqual([]);
    expect(budget.choose([candidate(1)], 1e9)).toEqual([]);
  });

  test('what was overspent is earned back before the next reading', () => {
    const budget = budgetOf();
    const one = [candidate(1)];
    expect(budget.choose(one, 0)).toHaveLength(1);
    // 60 ms were saved, 100 are spent: 40 ms are owed, which is 4 s at 1 %.
    budget.pay(100);
    expect(budget.choose(one, 3_900)).toHaveLength(0);
    expect(budget.choose(one, 4_100)).toHaveLength(1);
  });

  test('a long time without readings saves up no more than 60 ms', () => {
    const budget = budgetOf();
    budget.choose([], 0);
    budget.choose([], 1e9);
    budget.pay(61);
    expect(budget.choose([candidate(1)], 1e9)).toHaveLength(0);
  });

  test('a clock that goes back earns nothing and costs nothing', () => {
    const budget = budgetOf();
    budget.choose([], 1e6);
    budget.pay(59);
    expect(budget.choose([candidate(1)], 0)).toHaveLength(1);
  });

  test('a tick reads no more than the allowance is expected to pay', () => {
    // 1,000 MiB are expected to cost 16 ms each: four of them go into 60 ms.
    const large = Array.from({ length: 50 }, (_, pid) => candidate(pid, { rssBytes: 1_000 * mib }));
    expect(budgetOf().choose(large, 0)).toHaveLength(4);
  });
});

interface Simulated extends PssCandidate {
  costMs: number;
  lastPss: { anonBytes: number; monotonicMs: number } | null;
}

/** Ticks of one second over an hour; gives the time spent and the oldest reading that was seen. */
function simulate(processes: readonly Simulated[], change?: (tick: number) => void) {
  const budget = budgetOf();
  const seconds = 3_600;
  let spentMs = 0;
  let oldestMs = 0;
  let readCount = 0;
  for (let tick = 0; tick < seconds; tick++) {
    const nowMs = tick * 1_000;
    change?.(tick);
    for (const process of budget.choose(processes, nowMs)) {
      budget.pay(process.costMs);
      spentMs += process.costMs;
      readCount++;
      process.lastPss = { anonBytes: process.anonBytes, monotonicMs: nowMs };
    }
    for (const { lastPss } of processes) {
      if (tick > 60) oldestMs = Math.max(oldestMs, nowMs - (lastPss?.monotonicMs ?? 0));
    }
  }
  return { share: spentMs / (seconds * 1_000), oldestMs, readCount };
}

describe('over an hour of virtual time', () => {
  const processes = (count: number, costMs: number): Simulated[] =>
    Array.from({ length: count }, (_, pid) => ({ ...candidate(pid), costMs, lastPss: null }));

  test('where it suffices everybody is read each minute', () => {
    // 30 processes at 2 ms need 60 of 600 ms a minute.
    const { share, oldestMs } = simulate(processes(30, 2));
    expect(oldestMs).toBeLessThanOrEqual(61_000);
    expect(share).toBeLessThan(0.0012);
  });

  test('where it does not, the share is kept and nobody is forgotten', () => {
    // 400 processes at 4 ms would need 1,600 of 600 ms a minute.
    const crowd = processes(400, 4);
    const { share, oldestMs } = simulate(crowd);
    expect(share).toBeLessThan(0.0101);
    expect(share).toBeGreaterThan(0.0095);
    expect(crowd.every(({ lastPss }) => lastPss !== null)).toBe(true);
    // One round takes 160 s.
    expect(oldestMs).toBeLessThan(200_000);
  });

  test('processes that change all the time do not starve the quiet ones', () => {
    const crowd = processes(60, 4);
    const restless = crowd.slice(0, 20);
    const { share, oldestMs } = simulate(crowd, (tick) => {
      for (const process of restless) process.anonBytes = (tick % 2 === 0 ? 50 : 100) * mib;
    });
    expect(share).toBeLessThan(0.0101);
    expect(oldestMs).toBeLessThan(600_000);
  });

  test('readings that cost ten times what is expected do not break the share', () => {
    const { share } = simulate(processes(30, 40));
    expect(share).toBeLessThan(0.0101);
  });
});

test('a machine that stalls earns a quarter', () => {
  const readings = (slowdown: number) => {
    const budget = budgetOf();
    let count = 0;
    for (let second = 0; second < 1_000; second++) {
      for (const chosen of budget.choose([candidate(1)], second * 1000, slowdown)) {
        if (chosen.pid === 1) count++;
        budget.pay(40);
      }
    }
    return count;
  };
  // 10 s of allowance and the savings of 60 ms, in readings of 40 ms: every 4 s, or every 16 s.
  expect(readings(1)).toBeGreaterThanOrEqual(250);
  expect(readings(1)).toBeLessThanOrEqual(252);
  expect(readings(4)).toBeGreaterThanOrEqual(63);
  expect(readings(4)).toBeLessThanOrEqual(65);
});
