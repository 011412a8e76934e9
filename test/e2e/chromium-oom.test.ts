import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findChromium } from '../../src/cli/demo/find-chromium.ts';
import { launchChromium } from '../../src/cli/demo/launch-chromium.ts';
import type { OomKill } from '../../src/model/event.ts';
import type { ProcessRecord, ProcessSample, Recording } from '../../src/model/recording.ts';
import type { Tick } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { type KernelKill, readKernelKills } from '../support/kernel-kills.ts';
import { serveLeakingPage } from '../support/leaking-page.ts';

const MiB = 2 ** 20;
const patience = { timeout: 60_000, interval: 200 };

const folder = temporaryFolder();
const executable = findChromium();

beforeAll(async () => {
  if (executable === null) {
    throw new Error('no Chromium: install the package chromium, or set HEADROOM_CHROMIUM');
  }
  // Reads its program into the page cache, which is then charged to us. Inside of the limit it would
  // be thrown out and read again, and the browser would stand still for minutes before it is killed.
  await (await launchChromium(executable)).close();
});

afterAll(() => folder[Symbol.dispose]());

describe.each([
  {
    name: 'a page that leaks 120 MB/s in 400 MiB',
    limit: '400MiB',
    leak: `const kept = []; setInterval(() => kept.push(new Uint8Array(12 << 20).fill(1)), 100);`
  },
  {
    name: 'a page that eats 400 MB/s in 1 GiB',
    limit: '1GiB',
    leak: `const code = 'const kept = []; for (;;) kept.push(new Uint8Array(8 << 20).fill(1));';
      for (const _ of [1, 2]) new Worker(URL.createObjectURL(new Blob([code])));`,
  },
])('$name', ({ limit, leak }) => {
  const file = folder.file(`${limit}.db`);
  let recording: Recording;
  let kill: OomKill;
  let victim: ProcessRecord;
  let inKernelLog: KernelKill | undefined;
  /** Samples and rows in which the victim was alive, oldest first. */
  let ticks: Tick[];
  let rows: ProcessSample[];

  beforeAll(async () => {
    await recordUntilKilled(file, limit, leak);
    recording = openRecording(file);
    kill = killOf(recording);
    inKernelLog = readKernelKills().findLast(({ pid }) => pid === kill.pid);
    victim = recording.processes().findLast(({ pid }) => pid === kill.pid) as ProcessRecord;
    const alive = { fromUnixMs: victim.firstUnixMs, toUnixMs: kill.timeUnixMs ?? 0 };
    ticks = [...recording.ticks(alive)];
    rows = [...recording.processSamples(alive, victim.process)];
    const [last, before] = [ticks.at(-1), ticks.at(-2)];
    console.log(
      `${limit}: ${victim.role} of ${mebibytes(kill.rssBytes)} killed ${since(last, kill)} ms after its last sample; ` +
        `${ticks.length} samples of it, RSS ${rows.map((row) => mebibytes(row.rssBytes)).join(' ')}`,
      ticks.slice(-12).map(t=>t.timeUnixMs-(kill.timeUnixMs??0)),rows.slice(-12).map(t=>t.timeUnixMs-(kill.timeUnixMs??0)),
    );
  });

  afterAll(() => recording?.close());

  test('the kill is recorded as the kernel logged it, once', () => {
    expect(inKernelLog).toBeDefined();
    expect(kill).toMatchObject({ pid: inKernelLog?.pid, beforeStart: false, scope: 'cgroup' });
    expect(kill.kernelMs).toBeCloseTo(inKernelLog?.kernelMs ?? 0, 3);
    expect(kill.rssBytes).toBe(inKernelLog?.rssBytes);
  });

  test('its victim is known', () => {
    expect(['renderer', 'browser']).toContain(victim.role);
  });
});

/** Runs a browser in a limit, with the page, until the kernel killed one of its processes. */
async function recordUntilKilled(
  file: string,
  limit: string,
  leak: string,
): Promise<void> {
  const page = await serveLeakingPage(leak);
  const browser = [
    executable ?? '',
    '--headless=new',
    `--user-data-dir=${file}-profile`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    page.url,
  ];
  const recorder = startCli([
    'record', '--quiet', '--out', file, '--memory-limit', limit, '--', ...browser,
  ]);
  try {
    await vi.waitFor(() => {
      expect(existsSync(file)).toBe(true);
      using live = openRecording(file);
      expect(killOf(live)).toBeDefined();
    }, patience);
    // The end of the victim is heard of up to a second later.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  } finally {
    recorder.child.kill('SIGTERM');
    const r = await recorder.result;
    console.log(r.exitCode, r.signal, r.stderr.slice(0, 500));
    page.close();
  }
}

/** The first kill in the cgroup of the recording: others may be killed on this machine as well. */
function killOf(recording: Recording): OomKill {
  const path = recording.lastTick()?.cgroup?.path ?? '';
  const kill = recording
    .events()
    .filter((event) => event.kind === 'oom_kill')
    .find(({ cgroup }) => cgroup?.endsWith(path));
  if (kill === undefined) throw new Error('no kill is recorded');
  return kill;
}

function since(tick: Tick | undefined, kill: OomKill): number {
  return Math.round((kill.timeUnixMs ?? Number.NaN) - (tick?.timeUnixMs ?? Number.NaN));
}

function mebibytes(bytes: number | null): string {
  return bytes === null ? '?' : `${Math.round(bytes / MiB)}`;
}
