import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultQuestion } from '../../../src/analysis/sizing/size.ts';
import { sizing } from '../../../src/analysis/sizing/sizing.ts';
import { caseJson } from '../../support/cases.ts';
import { fakeDemand, fakeDemands } from '../../support/fake-demand.ts';
import { mib, startUnixMs } from '../../support/fake-sample.ts';
import { uniformNumbers } from '../../support/uniform-numbers.ts';

const gib = 1024 * mib;
const spread = (count: number, seed = 1) => {
  const random = uniformNumbers(seed);
  return Array.from({ length: count }, () => 500 + 200 * random());
};

describe('101: what met its limit is a lower bound', () => {
  const name = '101-oom-is-censored-data';
  const expected = caseJson<{ censored_sessions: number }>(`${name}/expected.json`);
  const sessions = caseJson<{ tier_mib: number; peak_mib: number; oom_kills: number }[]>(
    `${name}/sessions.json`,
  ).map(({ tier_mib, peak_mib, oom_kills }, at) =>
    fakeDemand(at, {
      demandBytes: peak_mib * mib,
      limitBytes: tier_mib * mib,
      isCensored: oom_kills > 0,
    }),
  );
  const result = sizing(sessions, defaultQuestion);

  test('not 1 GiB, but the next tier, and not as proven', () => {
    expect(result.censored).toBe(expected.censored_sessions);
    expect(result.recommendation).toMatchObject({ tierBytes: 8 * gib, reachable: false });
    expect(result.tiers[0]).toMatchObject({ sessionsFit: 3, wouldHaveOomed: 2, unknown: 0 });
    expect(result.tiers[1]).toMatchObject({ sessionsFit: 3, wouldHaveOomed: 0, unknown: 2 });
  });

  test('it says that the need is not known, and at least how much', () => {
    expect(result.recommendation.reason).toContain(
      '2 met their limit, and what they need is not known (at least 1002 MiB), so they count as not fitting',
    );
    expect(result.censoredAtLeastBytes).toBe(1002 * mib);
    expect(result.demandBytes).toEqual({
      p50: 655 * mib,
      p90: null,
      p95: null,
      p99: null,
      max: null,
    });
  });
});

test('one that met its limit is told in the singular', () => {
  const one = fakeDemand(0, { demandBytes: 299 * mib, limitBytes: 300 * mib, isCensored: true });
  expect(sizing([one], defaultQuestion).recommendation.reason).toContain(
    '1 met its limit, and what it needs is not known (at least 299 MiB), so it counts as not fitting',
  );
});

describe('few sessions', () => {
  test('20 of 20: at least 86 % at 95 % confidence, and 279 more for 99 %', () => {
    const { recommendation, tiers } = sizing(fakeDemands(spread(20)), defaultQuestion);
    expect(recommendation).toMatchObject({
      tierBytes: gib,
      reachable: false,
      sessionsMissing: 279,
    });
    expect(recommendation.reason).toBe(
      '20 of 20 fit in 1 GiB: at least 86 % at 95 % confidence; for 99 % it takes 279 more sessions that fit.',
    );
    expect(tiers[0]?.fitLowerBound).toBeCloseTo(0.05 ** (1 / 20), 12);
  });

  test('299 of 299 prove 99 %, and their largest is the bound', () => {
    const demands = spread(299);
    const { boundBytes, estimate, recommendation } = sizing(fakeDemands(demands), defaultQuestion);
    expect(recommendation).toMatchObject({ tierBytes: gib, reachable: true, sessionsMissing: 0 });
    expect(boundBytes).toBe(Math.max(...demands) * mib);
    expect(estimate).toBeNull();
    expect(sizing(fakeDemands(spread(298)), defaultQuestion).boundBytes).toBeNull();
  });

  test('none at all', () => {
    expect(sizing([], defaultQuestion)).toMatchObject({
      sessions: 0,
      demandBytes: { p50: null, max: null },
      recommendation: { tierBytes: null, reachable: false },
      estimate: null,
    });
  });

  test('the estimate is apart: by the mean and 3.3 deviations of the logarithms of 20 sessions', () => {
    // Blom's places of exact lognormal quantiles give mean and deviation back; the factor is 3.295 in tables.
    const demands = quantiles.map((z) => 500 * Math.exp(0.1 * z));
    const { estimate } = sizing(fakeDemands(demands), defaultQuestion);
    expect(estimate?.model).toBe('lognormal');
    const deviations = Math.log((estimate?.bytes ?? 0) / (500 * mib)) / 0.1;
    expect(deviations).toBeGreaterThan(3.24);
    expect(deviations).toBeLessThan(3.35);
  });
});

/** Normal scores of 20, as tables have them, in an order without a trend. */
const half = [0.062, 0.187, 0.315, 0.448, 0.589, 0.744, 0.919, 1.128, 1.403, 1.868];
const quantiles = half.flatMap((z, at) => (at % 2 === 0 ? [z, -z] : [-z, z]));

describe('what a tier leaves', () => {
  test.each([
    // MemTotal of case 099 less a tenth; 8192 − 128 − 32 − 160 MiB; a limit of a cgroup is whole.
    ['machine', gib, 0.9 * 1_002_236 * 1024],
    ['machine', 8 * gib, 7872 * mib],
    ['cgroup_v2', gib, 0.9 * gib],
    ['cgroup_v2', 8 * gib, 8032 * mib],
  ] as const)('%s of %i bytes', (limitSource, tierBytes, usable) => {
    const { tiers } = sizing(fakeDemands([500], { limitSource }), {
      ...defaultQuestion,
      tiers: [tierBytes],
    });
    expect(tiers[0]?.usableBytes).toBe(Math.floor(usable));
  });

  test('a demand of exactly what is usable fits, one byte more does not', () => {
    const usable = Math.floor(0.9 * gib);
    const asked = { ...defaultQuestion, tiers: [gib] };
    const at = (demandBytes: number) =>
      sizing(
        [fakeDemand(0, { demandBytes, limitSource: 'cgroup_v1', limitBytes: 8 * gib })],
        asked,
      );
    expect(at(usable).tiers[0]).toMatchObject({ sessionsFit: 1, wouldHaveOomed: 0 });
    expect(at(usable + 1).tiers[0]).toMatchObject({ sessionsFit: 0, wouldHaveOomed: 1 });
    expect(at(usable + 1).recommendation).toMatchObject({
      tierBytes: null,
      reason: 'No tier holds all of it: 1 of 1 session would not fit in 1 GiB.',
    });
  });
});

describe('sessions that met a smaller limit', () => {
  const killed = fakeDemands(Array(5).fill(990), { isCensored: true });
  const onLarge = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      fakeDemand(at + 5, { demandBytes: 1200 * mib, limitBytes: 7900 * mib }),
    );

  test('do not count against a larger tier once enough ran on it', () => {
    const result = sizing([...killed, ...onLarge(299)], defaultQuestion);
    expect(result).toMatchObject({ sessions: 299, censored: 0 });
    expect(result.recommendation).toMatchObject({ tierBytes: 8 * gib, reachable: true });
  });

  test('and do while there are too few', () => {
    const result = sizing([...killed, ...onLarge(298)], { ...defaultQuestion, fitRatio: 0.99 });
    expect(result.recommendation.reachable).toBe(false);
  });
});

describe('history', () => {
  test('a step up: the older half is left out, and the user is told', () => {
    const demands = [...spread(40, 2), ...spread(40, 3).map((mibs) => mibs + 220)];
    const { history, sessions } = sizing(fakeDemands(demands), defaultQuestion);
    expect(history).toMatchObject({ kind: 'changed', leftOut: 40 });
    expect(sessions).toBe(40);
    expect(history.findings.join(' ')).toContain('the 40 before it are left out');
  });

  test('growth by a half over 300 sessions: nothing is promised, and the estimate has it', () => {
    const demands = spread(300).map((mibs, at) => mibs * (1 + at / 600));
    const result = sizing(fakeDemands(demands), defaultQuestion);
    expect(result.history.kind).toBe('growing');
    expect(result.recommendation).toMatchObject({ reachable: false, sessionsMissing: null });
    expect(result.recommendation.reason).toContain('demand is growing');
    expect(result.tiers.map(({ fitLowerBound }) => fitLowerBound)).toEqual([0, 0, 0]);
    expect(result.boundBytes).toBeNull();
    // The last session may be of 1.5 × 700 MiB.
    expect(result.estimate?.model).toBe('trend removed');
    expect(result.estimate?.bytes).toBeGreaterThan(1.5 * 690 * mib);
  });

  test('a new version that needs more: the others are left out', () => {
    const old = fakeDemands(spread(30), { version: '1.0' });
    const current = spread(10, 5).map((mibs, at) =>
      fakeDemand(30 + at, { demandBytes: (mibs + 120) * mib, version: '1.1' }),
    );
    const { history } = sizing([...current, ...old], defaultQuestion);
    expect(history).toMatchObject({ kind: 'changed', leftOut: 30 });
    expect(history.findings[0]).toContain('Version 1.1 needs more than the 30 other sessions');
  });

  test('a new version with too few sessions is named', () => {
    const sessions = [
      ...fakeDemands(spread(30), { version: '1.0' }),
      fakeDemand(30, { version: '1.1' }),
    ];
    expect(sizing(sessions, defaultQuestion).history.findings[0]).toContain(
      'Version 1.1 is new and has 1 of these sessions: too few',
    );
  });

  test('the order of the files does not matter, that of the sessions does', () => {
    const sessions = fakeDemands(spread(50).sort((a, b) => a - b));
    const forward = sizing(sessions, defaultQuestion);
    expect(forward.history.kind).not.toBe('stable');
    expect(sizing(sessions.toReversed(), defaultQuestion)).toEqual(forward);
  });

  test('seven sessions are too few to test', () => {
    const { history } = sizing(fakeDemands(spread(7)), defaultQuestion);
    expect(history).toMatchObject({ kind: 'untested', leftOut: 0, trendP: null });
  });
});

test('a larger tier never fits fewer, and no bound is above the share that fits', () => {
  const session = fc.record({
    demandMib: fc.integer({ min: 50, max: 9000 }),
    limitMib: fc.constantFrom(512, 979, 7900),
    isCensored: fc.boolean(),
    isMachine: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(session, { maxLength: 40 }), (list) => {
      const sessions = list.map(({ demandMib, limitMib, isCensored, isMachine }, at) =>
        fakeDemand(at, {
          startedUnixMs: startUnixMs + at,
          demandBytes: Math.min(demandMib, limitMib) * mib,
          limitBytes: limitMib * mib,
          isCensored,
          limitSource: isMachine ? 'machine' : 'cgroup_v2',
        }),
      );
      const result = sizing(sessions, { ...defaultQuestion, tiers: [16 * gib, gib, 8 * gib] });
      let before = { sessionsFit: 0, fitLowerBound: 0 };
      for (const tier of result.tiers) {
        expect(tier.sessionsFit + tier.wouldHaveOomed + tier.unknown).toBe(result.sessions);
        expect(tier.sessionsFit).toBeGreaterThanOrEqual(before.sessionsFit);
        expect(tier.fitLowerBound).toBeGreaterThanOrEqual(before.fitLowerBound);
        expect(tier.fitLowerBound).toBeLessThanOrEqual(
          result.sessions === 0 ? 0 : tier.sessionsFit / result.sessions,
        );
        before = tier;
      }
    }),
  );
});

describe('sessions that still grew when their recording ended', () => {
  // 500 MiB, and 10 MiB a minute for four hours: 2900 MiB.
  const growth = { bytesPerMinute: 10 * mib, aheadMs: 4 * 3_600_000 };
  const fleet = (count: number, growing: number) =>
    Array.from({ length: count }, (_, at) =>
      fakeDemand(at, { demandBytes: 500 * mib, ...(at < growing ? { growth } : {}) }),
    );

  test('where the answer rests on them it is one for sessions as long as these', () => {
    const { growing, recommendation, tiers } = sizing(fleet(300, 300), defaultQuestion);
    expect(growing).toBe(300);
    expect(tiers.map(({ sessionsOutgrowing }) => sessionsOutgrowing)).toEqual([300, 0, 0]);
    expect(recommendation).toMatchObject({
      tierBytes: gib,
      reachable: true,
      onlyForThisLength: true,
    });
    expect(recommendation.reason).toBe(
      '300 of 300 fit in 1 GiB: at least 99.00 % at 95 % confidence; 300 of them still grew when their recording ended, and would not fit for long at that pace: this is said of sessions that last as long as these, and what longer ones need is not known.',
    );
  });

  test('where it is proven without them, it is one for all', () => {
    // 998 of 1,000: at least 99.37 % (R: binom.test(998, 1000, alternative = "greater")).
    const { recommendation } = sizing(fleet(1000, 2), defaultQuestion);
    expect(recommendation).toMatchObject({ reachable: true, onlyForThisLength: false });
    expect(recommendation.reason).toContain(
      '2 of them still grew when their recording ended, and would not fit for long at that pace; it is proven without counting on them.',
    );
  });

  test('growth that leads nowhere near the tier changes nothing', () => {
    const slow = { bytesPerMinute: mib, aheadMs: 3_600_000 };
    const sessions = fleet(20, 0).map((session) => ({ ...session, growth: slow }));
    const { growing, recommendation } = sizing(sessions, defaultQuestion);
    expect(growing).toBe(20);
    expect(recommendation.onlyForThisLength).toBe(false);
    expect(recommendation.reason).toBe(
      '20 of 20 fit in 1 GiB: at least 86 % at 95 % confidence; for 99 % it takes 279 more sessions that fit.',
    );
  });
});
