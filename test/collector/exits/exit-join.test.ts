import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ExitState,
  firstExitState,
  flushExits,
  joinExits,
} from '../../../src/collector/exits/exit-join.ts';
import type { ExitNotice } from '../../../src/collector/exits/exit-watcher.ts';
import type { EndedProcess } from '../../../src/collector/process-table.ts';
import type { ProcessExit } from '../../../src/model/event.ts';
import type { ProcessReading } from '../../../src/model/sample.ts';
import { fakeProcess, startUnixMs } from '../../support/fake-sample.ts';

/** Ticks a second apart; the notices of each are drained 10 ms after its sample. */
class Ticks {
  readonly exits: ProcessExit[] = [];
  #state: ExitState = firstExitState;
  #second = 0;

  tick(parts: {
    living?: readonly ProcessReading[];
    ended?: readonly EndedProcess[];
    notices?: readonly ExitNotice[];
    isWatched?: boolean;
    intervalMs?: number;
  }): void {
    const second = this.#second;
    this.#second += (parts.intervalMs ?? 1000) / 1000;
    const { exits, state } = joinExits(this.#state, {
      sample: {
        timeUnixMs: startUnixMs + second * 1000,
        monotonicMs: second * 1000,
        processes: parts.living ?? [],
      },
      ended: parts.ended ?? [],
      notices: parts.notices ?? [],
      drainedMonotonicMs: second * 1000 + 10,
      isWatched: parts.isWatched ?? true,
    });
    this.exits.push(...exits);
    this.#state = state;
  }

  flush(): void {
    this.exits.push(...flushExits(this.#state));
  }
}

const renderer = { pid: 7, startTicks: 70, role: 'renderer', browserPid: 100 } as const;
const running = fakeProcess(renderer);
const zombie = fakeProcess({ ...renderer, state: 'Z' });

function notice(second: number, parts: Partial<ExitNotice> = {}): ExitNotice {
  return {
    pid: 7,
    exitCode: null,
    signal: 'SIGKILL',
    timeUnixMs: startUnixMs + second * 1000,
    monotonicMs: second * 1000,
    ...parts,
  };
}

function exit(second: number, parts: Partial<ProcessExit>): ProcessExit {
  return {
    kind: 'process_exit',
    timeUnixMs: startUnixMs + second * 1000,
    pid: 7,
    startTicks: 70,
    role: 'renderer',
    exitCode: null,
    signal: null,
    source: 'vanished',
    ...parts,
  };
}

const killed = { signal: 'SIGKILL', source: 'connector' } as const;

describe('a notice and a vanishing', () => {
  test('of the same tick', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer], notices: [notice(0.4)] });
    expect(ticks.exits).toEqual([exit(0.4, killed)]);
  });

  test('the notice a tick earlier: it ended between the sample and the draining', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running], notices: [notice(0.005)] });
    ticks.tick({ ended: [renderer] });
    expect(ticks.exits).toEqual([exit(0.005, killed)]);
  });

  test('the notice a tick later', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer] });
    expect(ticks.exits).toEqual([]);
    ticks.tick({ notices: [notice(0.9)] });
    expect(ticks.exits).toEqual([exit(0.9, killed)]);
  });

  test('a zombie that nobody reaped for five ticks', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ living: [zombie], notices: [notice(0.4)] });
    for (let count = 0; count < 4; count++) ticks.tick({ living: [zombie] });
    expect(ticks.exits).toEqual([]);
    ticks.tick({ ended: [renderer] });
    expect(ticks.exits).toEqual([exit(0.4, killed)]);
  });

  test('an exit code is no signal', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer], notices: [notice(0.4, { exitCode: 137, signal: null })] });
    expect(ticks.exits).toEqual([exit(0.4, { exitCode: 137, source: 'connector' })]);
  });
});

describe('without a notice', () => {
  test('two ticks are waited, then it has vanished when it was noticed', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer] });
    ticks.tick({});
    expect(ticks.exits).toEqual([]);
    ticks.tick({});
    expect(ticks.exits).toEqual([exit(1, {})]);
    ticks.tick({ notices: [notice(0.9)] });
    ticks.flush();
    expect(ticks.exits).toHaveLength(1);
  });

  test('ten ticks a second: two seconds at least', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer], intervalMs: 100 });
    for (let count = 0; count < 19; count++) ticks.tick({ intervalMs: 100 });
    expect(ticks.exits).toEqual([]);
    ticks.tick({ intervalMs: 100 });
    expect(ticks.exits).toEqual([exit(1, {})]);
  });

  test('nothing is waited for where nothing is heard', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running], isWatched: false });
    ticks.tick({ ended: [renderer], isWatched: false });
    expect(ticks.exits).toEqual([exit(1, {})]);
  });

  test('the end of the recording waits no longer', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer] });
    ticks.flush();
    expect(ticks.exits).toEqual([exit(1, {})]);
  });
});

describe('a pid that is used again', () => {
  const second = { ...renderer, startTicks: 80 };
  const secondRunning = fakeProcess(second);

  test('the notice of one that came and went unseen is not taken for the next', () => {
    const ticks = new Ticks();
    ticks.tick({});
    ticks.tick({ living: [secondRunning], notices: [notice(0.5)] });
    ticks.tick({ ended: [second] });
    ticks.flush();
    expect(ticks.exits).toEqual([exit(2, { startTicks: 80 })]);
  });

  test('nor when that notice is late', () => {
    const ticks = new Ticks();
    ticks.tick({});
    ticks.tick({ living: [secondRunning] });
    ticks.tick({ ended: [second], notices: [notice(0.5)] });
    ticks.flush();
    expect(ticks.exits).toEqual([exit(2, { startTicks: 80 })]);
  });

  test('both seen, both notices late: each gets its own', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer], living: [secondRunning] });
    const late = [notice(0.5), notice(1.5, { exitCode: 0, signal: null })];
    ticks.tick({ ended: [second], notices: late });
    expect(ticks.exits).toEqual([
      exit(0.5, killed),
      exit(1.5, { startTicks: 80, exitCode: 0, source: 'connector' }),
    ]);
  });
});

describe('notices that are no end of the process', () => {
  // Both seen on Linux 6.18 with a program of two threads.
  const clean = { exitCode: 0, signal: null } as const;

  test('a second thread ran another program under the same pid', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ living: [running], notices: [notice(0.2, clean)] });
    ticks.tick({ ended: [renderer], notices: [notice(1.2, { exitCode: 5, signal: null })] });
    expect(ticks.exits).toEqual([exit(1.2, { exitCode: 5, source: 'connector' })]);
  });

  test('the same within one tick', () => {
    const ticks = new Ticks();
    ticks.tick({ living: [running] });
    ticks.tick({ ended: [renderer], notices: [notice(0.2, clean), notice(0.6)] });
    expect(ticks.exits).toEqual([exit(0.6, killed)]);
  });

  test('the main thread ended, the others run on and end it with a code that is not told', () => {
    const ticks = new Ticks();
    const headless = fakeProcess({ ...renderer, state: 'Z', threadCount: 2 });
    ticks.tick({ living: [running] });
    ticks.tick({ living: [headless], notices: [notice(0.2, clean)] });
    ticks.tick({ ended: [renderer] });
    ticks.flush();
    expect(ticks.exits).toEqual([exit(2, {})]);
  });

  test('a killed process whose threads take their time has still been killed', () => {
    const ticks = new Ticks();
    const dying = fakeProcess({ ...renderer, state: 'Z', threadCount: 9 });
    ticks.tick({ living: [running] });
    ticks.tick({ living: [dying], notices: [notice(0.2)] });
    ticks.tick({ ended: [renderer] });
    expect(ticks.exits).toEqual([exit(0.2, killed)]);
  });
});

test('only ends of a browser are told', () => {
  const ticks = new Ticks();
  const shell = { pid: 7, startTicks: 70, role: 'other', browserPid: null } as const;
  const wrapper = { pid: 8, startTicks: 80, role: 'other', browserPid: 100 } as const;
  ticks.tick({ living: [fakeProcess(shell), fakeProcess(wrapper)] });
  ticks.tick({ ended: [shell, wrapper], notices: [notice(0.5), notice(0.5, { pid: 8 })] });
  expect(ticks.exits).toEqual([exit(0.5, { ...killed, pid: 8, startTicks: 80, role: 'other' })]);
});

test('a zombie at the end of the recording has ended all the same', () => {
  const ticks = new Ticks();
  ticks.tick({ living: [running] });
  ticks.tick({ living: [zombie], notices: [notice(0.4)] });
  ticks.flush();
  expect(ticks.exits).toEqual([exit(0.4, killed)]);
});

test('whatever is heard and seen: one end for each that vanished, and nothing piles up', () => {
  const step = fc.record({ isLiving: fc.boolean(), at: fc.array(fc.nat(2000), { maxLength: 4 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const ticks = new Ticks();
      let vanished = 0;
      let wasLiving = false;
      for (const [index, { isLiving, at }] of steps.entries()) {
        const isEnd = wasLiving && !isLiving;
        if (isEnd) vanished++;
        ticks.tick({
          living: isLiving ? [running] : [],
          ended: isEnd ? [renderer] : [],
          notices: at.map((ms) => notice(index - 1 + ms / 1000)),
        });
        wasLiving = isLiving;
      }
      ticks.flush();
      expect(ticks.exits).toHaveLength(vanished);
      for (const { exitCode, signal, source } of ticks.exits) {
        expect([exitCode, signal]).toEqual([null, source === 'connector' ? 'SIGKILL' : null]);
      }
    }),
  );
});
