import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { DeathReport } from '../../src/analysis/deaths.ts';
import type { SessionReport } from '../../src/analysis/session-report.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { warmUpChromium } from '../support/oom-recording.ts';
import { servePage } from '../support/page-server.ts';
import { RecordedBrowser } from '../support/recorded-browser.ts';

const folder = temporaryFolder();
beforeAll(warmUpChromium);
afterAll(() => folder[Symbol.dispose]());

async function reportOf(file: string): Promise<SessionReport> {
  return JSON.parse((await runCli('report', file, '--json')).stdout);
}

function deathOf(report: SessionReport, pid: number): DeathReport | undefined {
  return report.deaths.find((death) => death.pid === pid);
}

describe('one browser, five deaths', () => {
  const file = folder.file('five.db');
  let pids: { heap: number; exhausted: number; crashed: number; killed: number; browser: number };
  let report: SessionReport;
  let exitCode: number | null;

  beforeAll(async () => {
    const script = 'setTimeout(() => { for (;;) kept.push({ a: [1, 2, 3, 4] }); }, 500);';
    const page = await servePage(`<!doctype html><script>const kept = [];${script}</script>`);
    const browser = new RecordedBrowser({
      file,
      browserFlags: [
        '--enable-logging',
        '--remote-debugging-port=0',
        '--js-flags=--max-old-space-size=60',
        page.url,
      ],
    });
    try {
      const heap = (await browser.endedBy('SIGTRAP')).pid;
      await browser.open('chrome://memory-exhaust');
      const exhausted = (await browser.endedBy('SIGTRAP', [heap])).pid;
      await browser.open('chrome://crash');
      const crashed = (await browser.endedBy('SIGSEGV')).pid;
      const killed = (await browser.living('renderer')).pid;
      process.kill(killed, 'SIGKILL');
      const { endedUnixMs } = await browser.endedBy('SIGKILL');
      // Else it would look as if it had gone together with its browser.
      await browser.recordedBeyond(endedUnixMs ?? 0, 4_000);
      const { pid } = await browser.living('browser');
      process.kill(pid, 'SIGKILL');
      exitCode = (await browser.ended).exitCode;
      pids = { heap, exhausted, crashed, killed, browser: pid };
      report = await reportOf(file);
    } finally {
      await browser.stop();
      page.close();
    }
  });

  test('V8 says in the log of Chromium that its heap was full', () => {
    const death = deathOf(report, pids.heap);
    expect(death).toMatchObject({
      role: 'renderer',
      verdict: 'v8_heap_limit',
      certainty: 'recorded',
    });
    expect(death?.evidence.join()).toContain('V8 javascript OOM');
    expect(report.verdict.kind).toBe('v8_heap_limit');
  });

  test('Chromium says in its log that its own allocator has no more', () => {
    const death = deathOf(report, pids.exhausted);
    expect(death).toMatchObject({
      role: 'renderer',
      verdict: 'chromium_oom',
      certainty: 'recorded',
    });
    expect(death?.evidence.join()).toContain('xhausting renderer memory');
  });

  test('chrome://crash is a crash', () => {
    expect(deathOf(report, pids.crashed)).toMatchObject({
      role: 'renderer',
      verdict: 'crash',
      certainty: 'recorded',
      signal: 'SIGSEGV',
    });
  });

  test('kill -9 of a renderer, and of the browser, came from outside', () => {
    for (const [pid, role] of [
      [pids.killed, 'renderer'],
      [pids.browser, 'browser'],
    ] as const) {
      expect(deathOf(report, pid)).toMatchObject({ role, verdict: 'killed', signal: 'SIGKILL' });
    }
    expect(exitCode).toBe(128 + 9);
  });

  test('whoever went with the browser died no death of its own', () => {
    expect(report.deaths.map(({ pid }) => pid).sort()).toEqual(Object.values(pids).sort());
  });
});

test('a clean exit is one', async () => {
  const file = folder.file('clean.db');
  const page = await servePage('<!doctype html><title>clean</title>');
  onTestFinished(() => page.close());
  const browser = new RecordedBrowser({ file, browserFlags: ['--dump-dom', page.url] });
  expect(await browser.ended).toMatchObject({ exitCode: 0 });
  const report = await reportOf(file);
  expect(report.deaths.map(({ verdict }) => verdict)).not.toContain('unknown');
  expect(report.deaths.filter(({ role }) => role === 'browser')).toMatchObject([
    { verdict: 'exited', exitCode: 0 },
  ]);
  expect(report.verdict.kind).toBe('healthy');
});

test('a browser that the OOM killer takes as a whole', async () => {
  const file = folder.file('whole.db');
  const eat = 'const kept = []; setInterval(() => kept.push(new Uint8Array(8 << 20).fill(1)), 50);';
  const page = await servePage(`<!doctype html><script>${eat}</script>`);
  onTestFinished(() => page.close());
  const browser = new RecordedBrowser({
    file,
    recordFlags: ['--memory-limit', '400MiB'],
    browserFlags: ['--remote-debugging-port=0', 'about:blank'],
  });
  onTestFinished(() => browser.stop());
  // Its children have 200 and 300: the kernel is made to choose the browser. Chromium sets its own
  // figure while it starts: it has started when it answers.
  await browser.open('about:blank');
  const { pid } = await browser.living('browser');
  fs.writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  await browser.open(page.url);
  expect(await browser.ended).toMatchObject({ exitCode: 128 + 9 });
  const report = await reportOf(file);
  expect(deathOf(report, pid)).toMatchObject({
    role: 'browser',
    verdict: 'kernel_oom',
    certainty: 'recorded',
    signal: 'SIGKILL',
  });
  // The kernel may go on with a child before the browser's memory is free.
  expect(new Set(report.deaths.map(({ verdict }) => verdict))).toEqual(new Set(['kernel_oom']));
  expect(report.oomKills).toContainEqual(
    expect.objectContaining({
      role: 'browser',
      scope: 'cgroup',
      limitBytes: 400 * 2 ** 20,
      inSession: true,
    }),
  );
  expect(report.verdict.kind).toBe('kernel_oom');
  console.log(`a browser as a whole: warned ${report.leads[0]?.leadMs ?? 'never'} ms before`);
});
