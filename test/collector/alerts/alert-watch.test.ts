import { describe, expect, test } from 'vitest';
import { type AlertRule, AlertWatch } from '../../../src/collector/alerts/alert-watch.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';

const headroom: AlertRule = {
  text: 'headroom<200MiB',
  metric: 'headroom',
  threshold: 200 * mib,
  unit: 'bytes',
};
const timeToLimit: AlertRule = {
  text: 'time-to-limit<30s',
  metric: 'time-to-limit',
  threshold: 30,
  unit: 'seconds',
};
const pressure: AlertRule = {
  text: 'pressure>20%',
  metric: 'pressure',
  threshold: 0.2,
  unit: 'ratio',
};

/** What began and what was over, as `second: rule` and `second: -rule`. */
function follow(
  rules: readonly AlertRule[],
  seconds: number,
  at: (second: number) => { availableMib?: number | null; stalledMs?: number },
): string[] {
  const watch = new AlertWatch(rules);
  return Array.from({ length: seconds }, (_, second) => {
    const { availableMib = 900, stalledMs = 0 } = at(second);
    const availableBytes = availableMib === null ? null : availableMib * mib;
    const sample = fakeSample({
      second,
      machine: { totalBytes: 1_000 * mib, availableBytes },
      pressure: { memorySomeMs: stalledMs },
    });
    const { began, over } = watch.next(sample);
    return [
      ...began.map(({ rule }) => `${second}: ${rule.text}`),
      ...over.map(({ text }) => `${second}: -${text}`),
    ];
  }).flat();
}

describe('an episode', () => {
  test('begins once, and ends ten seconds after it is a tenth above', () => {
    const told = follow([headroom], 60, (second) => {
      if (second < 5) return { availableMib: 400 };
      if (second < 20) return { availableMib: 199 };
      // Above the bound, and not by a tenth.
      return { availableMib: second < 30 ? 210 : 300 };
    });
    expect(told).toEqual(['5: headroom<200MiB', '40: -headroom<200MiB']);
  });

  test('a figure that goes to and fro is one episode', () => {
    const told = follow([headroom], 60, (second) => ({ availableMib: second % 4 < 2 ? 150 : 400 }));
    expect(told).toEqual(['0: headroom<200MiB']);
  });

  test('what is not known begins nothing, and ends nothing', () => {
    const told = follow([headroom, timeToLimit, pressure], 60, () => ({ availableMib: null }));
    expect(told).toEqual([]);
    const lost = follow([headroom], 60, (second) => ({ availableMib: second < 2 ? 100 : null }));
    expect(lost).toEqual(['0: headroom<200MiB']);
  });
});

test('a share of the limit', () => {
  const rule: AlertRule = {
    text: 'headroom<10%',
    metric: 'headroom',
    threshold: 0.1,
    unit: 'ratio',
  };
  expect(follow([rule], 3, (second) => ({ availableMib: 102 - second }))).toEqual([]);
  expect(follow([rule], 3, (second) => ({ availableMib: 101 - second }))).toEqual([
    '2: headroom<10%',
  ]);
});

test('time to the limit: a fall of 20 MiB a second from 900 MiB is below 30 s at 600 MiB, and told when it was so for three seconds', () => {
  // 900 − 20 s: 29 s are left at second 16.
  const told = follow([timeToLimit], 40, (second) => ({ availableMib: 900 - 20 * second }));
  expect(told).toEqual(['19: time-to-limit<30s']);
});

test('time to the limit: a browser that starts takes memory, and leaks only if it goes on', () => {
  const told = (seconds: number) => {
    const watch = new AlertWatch([timeToLimit]);
    return Array.from({ length: 40 }, (_, second) => {
      const availableMib = 950 - 40 * Math.min(second, seconds);
      const machine = { totalBytes: 1_000 * mib, availableBytes: availableMib * mib };
      const processes = [fakeProcess({ pid: 7, role: 'browser', browserPid: 7 })];
      return watch.next(fakeSample({ second, machine, processes })).began.map(() => second);
    }).flat();
  };
  // Below 30 s from the first line on, at second 4; half is left at second 11 or not reached.
  expect(told(9)).toEqual([]);
  expect(told(22)).toEqual([15]);
});

test('time to the limit: a step is no trend', () => {
  // The line through ten seconds falls for all of them.
  const told = follow([timeToLimit], 60, (second) => ({ availableMib: second < 6 ? 700 : 350 }));
  expect(told).toEqual([]);
});

test('time to the limit: a sample every ten seconds', () => {
  const watch = new AlertWatch([timeToLimit]);
  const began = [0, 10, 20, 30, 40].flatMap((second) => {
    const machine = { totalBytes: 1_000 * mib, availableBytes: (900 - 20 * second) * mib };
    return watch.next(fakeSample({ second, machine })).began.map(() => second);
  });
  // 25 s are left at second 20, and it still falls ten seconds later.
  expect(began).toEqual([30]);
});

test('time to the limit: what rests, rises or jitters is no fall', () => {
  expect(follow([timeToLimit], 60, () => ({ availableMib: 50 }))).toEqual([]);
  expect(follow([timeToLimit], 60, (second) => ({ availableMib: 100 + second }))).toEqual([]);
  expect(
    follow([timeToLimit], 60, (second) => ({ availableMib: 500 + (second % 2) * 40 })),
  ).toEqual([]);
});

test('pressure: the share of the last ten seconds', () => {
  // From second 20 on 300 ms of each second: above a fifth once 7 of 10 seconds are such.
  const told = follow([pressure], 60, (second) => ({
    stalledMs: Math.min(20, Math.max(0, second - 20)) * 300,
  }));
  // 2.1 s of 10 at second 27, told at 28; 1.0 s or less of 10 from second 47 on.
  expect(told).toEqual(['28: pressure>20%', '57: -pressure>20%']);
});

test('the facts of an alert, with the largest process of the browser', () => {
  const watch = new AlertWatch([headroom]);
  const { began } = watch.next(
    fakeSample({
      second: 0,
      machine: { totalBytes: 1_000 * mib, availableBytes: 100 * mib },
      processes: [
        fakeProcess({ pid: 7, role: 'renderer', anonBytes: 300 * mib }),
        fakeProcess({ pid: 8, role: 'renderer', anonBytes: 90 * mib }),
        fakeProcess({ pid: 9, role: 'other', anonBytes: 500 * mib }),
      ],
    }),
  );
  expect(began).toEqual([
    {
      rule: headroom,
      timeUnixMs: startUnixMs,
      value: 100 * mib,
      availableBytes: 100 * mib,
      limitBytes: 1_000 * mib,
      largest: { pid: 7, role: 'renderer', anonBytes: 300 * mib },
      message: 'headroom<200MiB: 100 MiB of 1000 MiB left; largest: renderer pid 7, 300 MiB',
    },
  ]);
});

test('another limit is no fall: neither what was left of the old one nor its waiting is compared', () => {
  const watch = new AlertWatch([timeToLimit, pressure]);
  const told = Array.from({ length: 30 }, (_, second) => {
    const sample = fakeSample({
      second,
      machine: { totalBytes: 8_000 * mib, availableBytes: 6_000 * mib },
      pressure: { memorySomeMs: second < 15 ? 1_000 : 60_000 },
      ...(second < 15
        ? {}
        : { cgroup: { limitBytes: 500 * mib, chargedBytes: 100 * mib, inactiveFileBytes: 0 } }),
    });
    return watch.next(sample).began;
  });
  expect(told.flat()).toEqual([]);
});
