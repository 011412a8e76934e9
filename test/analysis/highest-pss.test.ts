import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

/** PSS is read in the first sample and the sixth; anonymous memory in each, 10 MiB more a second. */
function report(fromSecond = 0) {
  const samples = Array.from({ length: 11 }, (_, second) =>
    fakeSample({
      second,
      processes: [
        fakeProcess({
          pid: 110,
          role: 'renderer',
          rssBytes: (230 + 10 * second) * mib,
          anonBytes: (100 + 10 * second) * mib,
          pssBytes: second % 5 === 0 && second < 10 ? (150 + 10 * second) * mib : null,
        }),
        fakeProcess({
          pid: 100,
          role: 'browser',
          anonBytes: 50 * mib,
          pssBytes: second === 0 ? 80 * mib : null,
        }),
      ],
    }),
  );
  return analyse(fakeRecording({ samples }), {
    fromUnixMs: fromSecond === 0 ? undefined : startUnixMs + fromSecond * 1000,
  });
}

test('what grew after PSS was last read is told by estimate, and marked', () => {
  const { processes } = report();
  // 200 MiB read in second 5, and 50 MiB more by second 10.
  expect(processes[0]).toMatchObject({
    pid: 110,
    peakPssBytes: 200 * mib,
    peakPssEstimatedBytes: 250 * mib,
  });
  expect(processes[1]).toMatchObject({
    pid: 100,
    peakPssBytes: 80 * mib,
    peakPssEstimatedBytes: 80 * mib,
  });
  const text = renderText(report());
  expect(text).toMatch(/renderer +110 +~250 MiB +330 MiB/);
  expect(text).toMatch(/browser +100 +80\.0 MiB/);
  expect(text).toContain('~ estimated: the PSS last read plus what anonymous memory grew since');
});

test('where nothing was read in a part, what was read before it still counts for the estimate', () => {
  const [renderer] = report(7).processes;
  expect(renderer).toMatchObject({ peakPssBytes: null, peakPssEstimatedBytes: 250 * mib });
});
