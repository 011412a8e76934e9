import { describe, expect, test, vi } from 'vitest';
import type {
  DevtoolsAnswer,
  DevtoolsEvent,
  DevtoolsRequest,
} from '../../../src/collector/pages/devtools-connection.ts';
import { PageWatch } from '../../../src/collector/pages/page-watch.ts';
import type { PagePlacement, TargetCrash } from '../../../src/model/page-event.ts';

/** A browser whose pages are in processes as a test says, and a clock that only sleeping moves. */
class FakeBrowser {
  /** Pid of a target; null: it does not answer. */
  readonly pidOf = new Map<string, number | null>();
  readonly asked: string[] = [];
  readonly told: (PagePlacement | TargetCrash)[] = [];
  readonly watch: PageWatch;
  readonly alive = new Set<number>();
  nowMs = 0;
  /** CPU time of main threads, ns. */
  readonly #clocks = new Map<number, number>();
  readonly #origins = new Map<string, number>();
  readonly #ends = new Map<number, number>();

  constructor() {
    this.watch = new PageWatch({
      processes: {
        update: () => undefined,
        sweep: () => new Map(this.#clocks),
        identify: (pid) => (this.alive.has(pid) ? { pid, startTicks: pid * 10 } : null),
        isAlive: ({ pid }) => this.alive.has(pid),
      },
      clock: { monotonicMs: () => this.nowMs, wallMs: () => 1_000_000 + this.nowMs },
      ownCpuMs: () => 0,
      sleep: (ms) => this.sleep(ms),
      extent: 'origin',
      tell: (event) => this.told.push(event),
    });
  }

  async sleep(ms: number): Promise<void> {
    this.nowMs += ms;
    for (const [pid, endMs] of this.#ends) if (endMs <= this.nowMs) this.alive.delete(pid);
  }

  /** What is told of a crash, however long that takes. */
  async crash(event: DevtoolsEvent): Promise<PagePlacement | TargetCrash | undefined> {
    const toldCount = this.told.length;
    this.watch.take(event);
    return await vi.waitFor(() => {
      expect(this.told.length).toBe(toldCount + 1);
      return this.told.at(-1);
    }, 60_000);
  }

  endAt(pid: number, endMs: number): void {
    this.#ends.set(pid, endMs);
  }

  start(pid: number): void {
    this.alive.add(pid);
    this.#clocks.set(pid, pid * 1e6);
  }

  tell(targetId: string, parts: Record<string, unknown> = {}): void {
    const targetInfo = { targetId, type: 'page', url: 'http://a.test/x', ...parts };
    this.watch.take({ method: 'Target.targetInfoChanged', params: { targetInfo } });
  }

  async look(afterMs: number): Promise<void> {
    this.nowMs += afterMs;
    await this.watch.look({ ask: (request) => this.#answer(request) });
  }

  async #answer({ method, params, sessionId }: DevtoolsRequest): Promise<DevtoolsAnswer> {
    this.asked.push(method);
    if (method === 'Target.attachToTarget') return { sessionId: String(params?.['targetId']) };
    if (method === 'Target.detachFromTarget') return {};
    const pid = this.pidOf.get(sessionId ?? '') ?? null;
    if (pid === null || sessionId === undefined) return null;
    const ns = (this.#clocks.get(pid) ?? 0) + 300_000;
    this.#clocks.set(pid, ns);
    if (method === 'Performance.enable') {
      this.#origins.set(sessionId, ns);
      return {};
    }
    const value = (ns - (this.#origins.get(sessionId) ?? 0)) / 1e9;
    return { metrics: [{ name: 'ThreadTime', value }] };
  }
}

describe('pages are found', () => {
  test('once each; two pages in one process, and again when they move to another site', async () => {
    const browser = new FakeBrowser();
    for (const pid of [11, 12, 13]) browser.start(pid);
    browser.pidOf.set('A', 11).set('B', 12).set('C', 12);
    for (const id of ['A', 'B', 'C']) browser.tell(id);
    await browser.look(1_000);
    expect(browser.told.map((event) => [event.targetId, event.pid])).toEqual([
      ['A', 11],
      ['B', 12],
      ['C', 12],
    ]);
    expect(browser.told[0]).toEqual({
      kind: 'page',
      timeUnixMs: expect.any(Number),
      targetId: 'A',
      targetType: 'page',
      pageTargetId: 'A',
      url: 'http://a.test',
      state: 'placed',
      pid: 11,
      startTicks: 110,
    });
    const askedCount = browser.asked.length;
    await browser.look(10_000);
    expect(browser.asked.length).toBe(askedCount);
    browser.pidOf.set('A', 13);
    browser.tell('A', { url: 'http://b.test/' });
    await browser.look(1_000);
    expect(browser.told.at(-1)).toMatchObject({ targetId: 'A', url: 'http://b.test', pid: 13 });
  });

  test('nothing is asked of a page but its clock', async () => {
    const browser = new FakeBrowser();
    browser.start(11);
    browser.pidOf.set('A', 11);
    browser.tell('A');
    await browser.look(1_000);
    expect(browser.asked).toEqual([
      'Target.attachToTarget',
      'Performance.enable',
      'Performance.getMetrics',
      'Performance.getMetrics',
      'Performance.getMetrics',
      'Target.detachFromTarget',
    ]);
  });

  test('one that does not answer is unknown, and asked ever less often', async () => {
    const browser = new FakeBrowser();
    browser.tell('A');
    for (let second = 0; second < 3_600; second++) await browser.look(1_000);
    expect(browser.told).toMatchObject([{ state: 'unknown', pid: null }]);
    const tries = browser.asked.filter((method) => method === 'Target.attachToTarget');
    expect(tries.length).toBeLessThan(40);
  });

  test('within a hundredth of a core: 13 ms a try, of two hundred tabs that all move', async () => {
    const browser = new FakeBrowser();
    browser.start(11);
    for (let index = 0; index < 200; index++) browser.pidOf.set(`T${index}`, 11);
    for (let second = 0; second < 600; second++) {
      for (const id of browser.pidOf.keys()) browser.tell(id, { url: `http://s${second}.test/` });
      await browser.look(1_000);
    }
    const tries = browser.asked.filter((method) => method === 'Target.attachToTarget');
    expect(tries.length * 13).toBeLessThan(0.01 * browser.nowMs);
    expect(tries.length).toBeGreaterThan(300);
  });
});

describe('the end of a page', () => {
  async function placed(): Promise<FakeBrowser> {
    const browser = new FakeBrowser();
    browser.start(11);
    browser.pidOf.set('A', 11);
    browser.tell('A');
    await browser.look(1_000);
    return browser;
  }
  const crash = {
    method: 'Target.targetCrashed',
    params: { targetId: 'A', status: 'killed', errorCode: 9 },
  };

  test('closed: gone', async () => {
    const browser = await placed();
    browser.watch.take({ method: 'Target.targetDestroyed', params: { targetId: 'A' } });
    expect(browser.told.at(-1)).toMatchObject({ state: 'gone', pid: null, url: 'http://a.test' });
  });

  const itsProcess = { kind: 'target_crash', pid: 11, startTicks: 110 };
  const noProcess = { kind: 'target_crash', pid: null, startTicks: null };

  test('crashed: with the process, when that is gone as well', async () => {
    const browser = await placed();
    browser.alive.delete(11);
    expect(await browser.crash(crash)).toEqual({
      ...itsProcess,
      timeUnixMs: expect.any(Number),
      targetId: 'A',
      targetType: 'page',
      url: 'http://a.test',
      status: 'killed',
      errorCode: 9,
    });
  });

  test('crashed, and its process was seen to be gone before the browser said so', async () => {
    const browser = await placed();
    browser.alive.delete(11);
    browser.pidOf.set('A', null);
    await browser.look(5_000);
    expect(await browser.crash(crash)).toMatchObject(itsProcess);
  });

  test('crashed, after it gave no answer for so long as its process wrote a core file', async () => {
    const browser = await placed();
    browser.pidOf.set('A', null);
    browser.tell('A', { url: 'chrome://crash/' });
    await browser.look(1_000);
    await browser.look(3_000);
    expect(browser.told.at(-1)).toMatchObject({ kind: 'page', state: 'unknown' });
    browser.endAt(11, browser.nowMs + 8_000);
    expect(await browser.crash(crash)).toMatchObject(itsProcess);
  });

  test('crashed long after its process ended: the page had moved, and nobody knows where', async () => {
    const browser = await placed();
    browser.alive.delete(11);
    browser.pidOf.set('A', null);
    for (let second = 0; second < 40; second++) await browser.look(1_000);
    expect(await browser.crash(crash)).toMatchObject(noProcess);
  });

  test('crashed in a process that nobody has seen: none is named', async () => {
    const browser = await placed();
    expect(await browser.crash(crash)).toMatchObject(noProcess);
  });

  test('crashed once more before it was found anew: none is named', async () => {
    const browser = await placed();
    browser.alive.delete(11);
    await browser.crash(crash);
    expect(await browser.crash(crash)).toMatchObject(noProcess);
  });

  test('crashed, and the watch ends while its process dies: it is told before the page is', async () => {
    const browser = await placed();
    const end = new AbortController();
    const watching = browser.watch.run(
      {
        closed: new Promise(() => undefined),
        ask: async () => {
          browser.watch.take(crash);
          end.abort();
          return null;
        },
      },
      end.signal,
    );
    await watching;
    expect(browser.told.slice(-2)).toMatchObject([noProcess, { kind: 'page', state: 'gone' }]);
  });
});
