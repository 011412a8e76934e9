import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

// A machine in which a recorder runs is saved, and goes on twice from there: its memory is its disk.
const folder = temporaryFolder();
const recordings = new Recordings();
const stop = 'pid=$(cat pid); kill $pid; while [ -d /proc/$pid ]; do sleep 1; done';
let savedUnixMs = 0;
let steppedSeconds = 0;

beforeAll(async () => {
  const state = folder.file('state');
  const recorder = 'headroom record --quiet --out life.db >/dev/null 2>&1 & echo $! >pid';
  const origin = await VirtualMachine.start();
  try {
    await origin.text(`${recorder}; until_samples life.db 5`);
    await origin.saveState(state);
  } finally {
    await origin[Symbol.asyncDispose]();
  }
  savedUnixMs = Date.now();
  await sleep(10_000);
  await restored(state, 'a.db', async (machine) => {
    await machine.text('sleep 4');
    const now = Math.round(Date.now() / 1000);
    const told = await machine.text(`date +%s; date -s "@${now}" >/dev/null; sleep 6; ${stop}`);
    steppedSeconds = now - Number(told);
  });
  await restored(state, 'b.db', (machine) => machine.text(`sleep 15; ${stop}`));
});
afterAll(() => {
  folder[Symbol.dispose]();
  recordings[Symbol.dispose]();
});

async function restored(state: string, name: string, live: (machine: VirtualMachine) => unknown) {
  await using machine = await VirtualMachine.start({ state });
  await live(machine);
  await recordings.reportOf(machine, name, '/tmp/life.db');
}

test('the clock that is set after it was restored is one gap; where none is set, there is none', () => {
  expect(steppedSeconds).toBeGreaterThanOrEqual(9);
  const [step, ...others] = recordings.clockGaps('a.db');
  expect([step?.gap, others]).toEqual(['clock_step', []]);
  const aheadMs = (step?.wallMs ?? 0) - (step?.monotonicMs ?? 0);
  expect(Math.abs(aheadMs / 1000 - steppedSeconds)).toBeLessThan(3);
  expect(recordings.clockGaps('b.db')).toEqual([]);
});

test('both are whole, the same up to the snapshot, and go on by themselves', async () => {
  const facts = ['a.db', 'b.db'].map((name) => recordings.facts(name));
  expect(facts[0]?.id).toBe(facts[1]?.id);
  expect(facts[0]?.machine.bootId).toBe(facts[1]?.machine.bootId);
  expect(facts.map(({ endReason }) => endReason)).toEqual(['signal', 'signal']);
  const [a = [], b = []] = ['a.db', 'b.db'].map((name) => recordings.ticks(name));
  expect(a.slice(0, 5)).toEqual(b.slice(0, 5));
  expect(a[4]?.timeUnixMs).toBeLessThan(savedUnixMs);
  expect(a.at(-1)?.timeUnixMs).not.toBe(b.at(-1)?.timeUnixMs);
  for (const ticks of [a, b]) {
    const monotonic = ticks.map(({ monotonicMs }) => monotonicMs);
    expect(monotonic).toEqual(monotonic.toSorted((x, y) => x - y));
    expect(ticks.map(({ sequence }) => sequence)).toEqual(ticks.map((_, at) => at + 1));
  }
  for (const name of ['a.db', 'b.db']) {
    expect((await runCli('verify', recordings.file(name))).exitCode).toBe(0);
  }
});

test('fleet import and size take one of them, and name the other', async () => {
  const [a, b] = ['a.db', 'b.db'].map((name) => recordings.file(name));
  const data = folder.file('fleet');
  const run = await runCli('fleet', 'import', recordings.folder, '--data', data, '--json');
  expect(JSON.parse(run.stdout)).toMatchObject({
    sessions: 1,
    outcomes: { imported: 1, parted: 1, shorter: 0, replaced: 0 },
    leftOut: [{ file: b, reason: expect.stringContaining(`the same session as ${a}`) }],
  });
  expect(run.stderr).toContain(`left out: ${b}`);
  const size = await runCli('size', recordings.folder, '--json');
  // It takes the longer one, whichever that is.
  const { skipped } = JSON.parse(size.stdout);
  expect(skipped).toHaveLength(1);
  const [left, taken] = skipped[0].file === a ? [a, b] : [b, a];
  expect(skipped[0]).toMatchObject({ file: left, reason: `the same session as ${taken}` });
});
