import { expect, test } from 'vitest';
import { fleetDiff } from '../../../src/analysis/fleet/fleet-diff.ts';
import { fakeFleetSession } from '../../support/fake-fleet.ts';
import { mib } from '../../support/fake-sample.ts';
import { uniformNumbers } from '../../support/uniform-numbers.ts';

const question = {
  a: [{ label: 'version', value: '1' }],
  b: [{ label: 'version', value: '2' }],
  confidence: 0.95,
  margin: 0.05,
};

/** Sessions of two versions: 400 MiB and up to a share more of it, the second one's times the factor. */
function twoVersions(count: number, factor: number, { spread = 0.5, seed = 7 } = {}) {
  const random = uniformNumbers(seed);
  return Array.from({ length: 2 * count }, (_, at) => {
    const version = at % 2 === 0 ? '1' : '2';
    const bytes = 400 * mib * (1 + spread * random()) * (version === '2' ? factor : 1);
    return fakeFleetSession(at, { version, demandBytes: Math.round(bytes) });
  });
}

test('a plain difference is found, and how large it is', () => {
  const diff = fleetDiff(twoVersions(60, 1.3), question);
  expect(diff).toMatchObject({ verdict: 'more', sessionsMissing: null, inBoth: 0, groups: [] });
  expect(diff.factor.low).toBeGreaterThan(1.05);
  expect(diff.factor.low).toBeLessThan(1.3);
  expect(diff.factor.high).toBeGreaterThan(1.3);
  expect(diff.moreLikely).toBeGreaterThan(0.7);
  expect(fleetDiff(twoVersions(60, 1 / 1.3), question).verdict).toBe('less');
});

test('many alike: proven to be the same; few alike: it cannot tell, and how many it takes', () => {
  expect(fleetDiff(twoVersions(400, 1), question)).toMatchObject({
    verdict: 'same',
    sessionsMissing: null,
  });
  // Alternately of each version, from 400 MiB up in even steps.
  const even = Array.from({ length: 30 }, (_, at) =>
    fakeFleetSession(at, {
      version: at % 2 === 0 ? '1' : '2',
      demandBytes: (400 + 5 * at) * mib,
    }),
  );
  const few = fleetDiff(even, question);
  expect(few.verdict).toBe('unknown');
  // With an interval of ± w and 30 sessions: 30 (w / ln 1.05)² - 30.
  const width = Math.log((few.factor.high ?? 0) / (few.factor.low ?? 0)) / 2;
  expect(few.sessionsMissing).toBe(Math.ceil(30 * (width / Math.log(1.05)) ** 2) - 30);
});

test.each(['__proto__', 'constructor'])('a label may be called %s', (label) => {
  const sessions = twoVersions(4, 1).map((session, at) =>
    at < 4 ? session : { ...session, labels: Object.fromEntries([[label, 'x']]) },
  );
  const { groups } = fleetDiff(sessions, { ...question, by: label });
  expect(groups.map(({ value, a, b }) => [value, a.sessions, b.sessions])).toEqual([
    ['x', 2, 2],
    [null, 2, 2],
  ]);
});

test('two and two prove nothing, however far apart', () => {
  const diff = fleetDiff(twoVersions(2, 5), question);
  expect(diff).toMatchObject({ verdict: 'unknown', sessionsMissing: null });
});

test('noise is taken for a difference in a twentieth of all cases at most', () => {
  const found = Array.from({ length: 200 }, (_, seed) =>
    fleetDiff(twoVersions(12, 1, { seed: seed + 1 }), question),
  ).filter(({ factor: { low, high } }) => (low ?? 0) > 1 || (high ?? 2) < 1);
  // Of 200, 10 are expected; more than 18 come in fewer than one case of a hundred.
  expect(found.length).toBeLessThanOrEqual(18);
});

test('sessions that met their limit are more than it, and not what their last sample was', () => {
  const sessions = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0
      ? fakeFleetSession(at, { version: '1', demandBytes: (600 + at) * mib })
      : // Killed before a sample saw more than that.
        fakeFleetSession(at, { version: '2', demandBytes: 300 * mib, isCensored: true }),
  );
  const diff = fleetDiff(sessions, question);
  expect(diff).toMatchObject({ verdict: 'more', moreLikely: 1, b: { censored: 10 } });
  expect(diff.factor.high).toBeNull();
});

test('a session that fits both sides is in neither', () => {
  const b = [{ label: 'tier', value: '1GiB' }];
  expect(fleetDiff(twoVersions(5, 1), { ...question, b })).toMatchObject({
    inBoth: 5,
    a: { sessions: 0 },
    b: { sessions: 5 },
    moreLikely: null,
  });
});

test('what else differs between the two is told', () => {
  const sessions = twoVersions(20, 1).map((session, at) => ({
    ...session,
    labels: { workload: session.version === '1' || at < 10 ? 'shop' : 'mail' },
  }));
  const { warnings, groups } = fleetDiff(sessions, { ...question, by: 'workload' });
  expect(warnings).toEqual([
    'The two have another mix of workload: workload=shop is 100 % of A and 25 % of B; compare each with --by workload.',
  ]);
  expect(groups.map(({ value, a, b }) => [value, a.sessions, b.sessions])).toEqual([
    ['mail', 0, 15],
    ['shop', 20, 5],
  ]);
});

test('shares outside of 0 to 1 are refused', () => {
  expect(() => fleetDiff([], { ...question, confidence: 1 })).toThrow(RangeError);
  expect(() => fleetDiff([], { ...question, margin: 0 })).toThrow(RangeError);
});
