import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caseJson } from '../support/cases.ts';
import { fakeFacts, fakeOomKill, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

interface CaseSession {
  tier_mib: number;
  peak_mib: number;
  oom_kills: number;
}

// Case 101: five sessions on 1 GiB, of which two met the limit.
beforeAll(() => {
  const sessions = caseJson<CaseSession[]>('101-oom-is-censored-data/sessions.json');
  sessions.forEach(({ tier_mib, peak_mib, oom_kills }, number) => {
    const cgroup = {
      limitBytes: tier_mib * mib,
      chargedBytes: peak_mib * mib,
      inactiveFileBytes: 0,
    };
    const machine = { totalBytes: 16_384 * mib, availableBytes: 12_000 * mib, swapTotalBytes: 0 };
    const kill = fakeOomKill({ pid: 4, comm: 'chromium', scope: 'cgroup', cgroup: '/session' });
    recordSamples(folder.file(`${number}.db`), [fakeSample({ second: 0, machine, cgroup })], {
      facts: fakeFacts({
        id: `session-${number}`,
        startedUnixMs: startUnixMs + number * 3_600_000,
        endedUnixMs: null,
        endReason: null,
      }),
      events: Array.from({ length: oom_kills }, () => kill),
    });
  });
  execFileSync('mkfifo', [folder.file('pipe.db')]);
});

test('101: sessions that met their limit speak against 1 GiB; a pipe in the folder is passed over', async () => {
  const { exitCode, stdout, stderr } = await runCli('size', folder.path, '--json');
  expect(exitCode).toBe(0);
  expect(stderr).toContain('pipe.db: is not a regular file [FILE_NOT_READABLE]');
  expect(JSON.parse(stdout)).toMatchObject({
    sessions: 5,
    censored: 2,
    censoredAtLeastBytes: 1002 * mib,
    demandBytes: { p50: 655 * mib, p90: null, max: null },
    // The next tier; that it fits nobody knows.
    recommendation: { tierBytes: 8192 * mib, reachable: false },
    tiers: [
      // 0.6 of 5 at 95 %: the smallest p with P(X ≥ 3 | 5, p) ≥ 0.05 is 0.189 (Clopper and Pearson).
      {
        bytes: 1024 * mib,
        sessionsFit: 3,
        wouldHaveOomed: 2,
        fitLowerBound: expect.closeTo(0.189, 3),
      },
      { bytes: 8192 * mib, sessionsFit: 3, wouldHaveOomed: 0, unknown: 2 },
      { bytes: 16_384 * mib, sessionsFit: 3, wouldHaveOomed: 0, unknown: 2 },
    ],
    history: { kind: 'untested', visibleRiseRatio: null },
  });
  const text = await runCli('size', folder.path);
  expect(text.stdout).toMatch(/^8 GiB for now; 99 % is not proven\n/);
  expect(text.stdout.replaceAll(/\s+/g, ' ')).toContain(
    '2 met their limit, and what they need is not known (at least 1002 MiB)',
  );
});
