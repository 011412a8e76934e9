import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Gap } from '../../src/model/event.ts';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

let machine: VirtualMachine;
const recordings = new Recordings();
const patience = { timeout: 120_000, interval: 500 };

beforeAll(async () => {
  machine = await VirtualMachine.start();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  recordings[Symbol.dispose]();
});

test('a clock that is set forward by an hour, and back by one', async () => {
  await machine.text(
    recorded(
      'steps.db',
      'date -s "@$(($(date +%s) + 3600))"; sleep 6; date -s "@$(($(date +%s) - 3600))"; sleep 6',
    ),
  );
  const { coverage } = await recordings.reportOf(machine, 'steps.db');
  const steps = recordings.clockGaps('steps.db');
  expect(steps.map(({ gap }) => gap)).toEqual(['clock_step', 'clock_step']);
  // In the order of the clock that was set.
  expect(steps.map(minutesOff)).toEqual([-60, 60]);
  // Both directions cost no time of the recording, and are no hour of it.
  expect(coverage.lengthMs).toBeLessThan(120_000);
  expectOrderedMonotonic('steps.db');
});

test('a machine that is suspended to memory: standby, as long as its own clock says', async () => {
  const clock = 'cat /sys/class/rtc/rtc0/since_epoch';
  const script = `${clock}; echo mem >/sys/power/state; ${clock}; sleep 8`;
  const [output] = await Promise.all([
    machine.text(recorded('suspend.db', script)),
    vi
      .waitUntil(() => machine.monitor.count('SUSPEND') > 0, patience)
      .then(async () => {
        await sleep(30_000);
        await machine.monitor.ask('system_wakeup');
      }),
  ]);
  const [asleep = 0, awake = 0] = (output.match(/^\d{10}$/gm) ?? []).map(Number);
  expect(awake - asleep).toBeGreaterThanOrEqual(29);
  const { coverage } = await recordings.reportOf(machine, 'suspend.db');
  const [gap, ...others] = recordings.clockGaps('suspend.db');
  expect(others).toEqual([]);
  expect(gap?.gap).toBe('standby');
  // The clock of the machine tells whole seconds, and it takes a moment to fall asleep.
  expect(Math.abs(sleptSeconds(gap) - (awake - asleep))).toBeLessThanOrEqual(4);
  expect(coverage.gaps.filter(({ kind }: { kind: string }) => kind === 'standby')).toHaveLength(1);
  expectOrderedMonotonic('suspend.db');
});

test('a machine that is paused by its host: nothing is told of it, until its clock is set', async () => {
  await machine.text(
    'headroom record --quiet --out pause.db >pause.log 2>&1 & echo $! >pause.pid; until_samples pause.db 4',
  );
  await machine.monitor.ask('stop');
  await sleep(15_000);
  await machine.monitor.ask('cont');
  await machine.text('sleep 6');
  // As chrony, or the agent of a host, does it after a pause.
  await machine.text(`date -s "@${Math.round(Date.now() / 1000)}"; sleep 6; pid=$(cat pause.pid)
    kill $pid; while [ -d /proc/$pid ]; do sleep 1; done`);
  await recordings.reportOf(machine, 'pause.db');
  const gaps = recordings.clockGaps('pause.db');
  expect(gaps.map(({ gap }) => gap)).toEqual(['clock_step']);
  expect(Math.abs(sleptSeconds(gaps[0]) - 15)).toBeLessThanOrEqual(4);
  expectOrderedMonotonic('pause.db');
});

/** Records while a script runs; it begins when there are samples, and ends with some after it. */
function recorded(file: string, script: string): string {
  return `headroom record --quiet --out ${file} >${file}.log 2>&1 & recorder=$!
    until_samples ${file} 4; ${script}; kill $recorder; wait $recorder; code=$?
    [ $code = 0 ] || { cat ${file}.log; exit 1; }`;
}

function minutesOff({ wallMs, monotonicMs }: Gap): number {
  return Math.round((wallMs - monotonicMs) / 60_000);
}

function sleptSeconds(gap: Gap | undefined): number {
  return ((gap?.wallMs ?? 0) - (gap?.monotonicMs ?? 0)) / 1000;
}

function expectOrderedMonotonic(file: string): void {
  const monotonic = recordings.ticks(file).map(({ monotonicMs }) => monotonicMs);
  expect(monotonic).toEqual(monotonic.toSorted((a, b) => a - b));
}
