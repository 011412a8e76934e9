import { describe, expect, test } from 'vitest';
import {
  placeProcesses,
  type TreeNode,
  type TreeOptions,
} from '../../../src/collector/chromium/browser-tree.ts';
import type { OwnRole } from '../../../src/collector/chromium/command-line.ts';
import type { ProcessRole } from '../../../src/model/process-role.ts';
import { caseBytes, caseJson } from '../../support/cases.ts';

// Ticks of 10 ms; "now" is 100 s after boot.
const options: TreeOptions = { rootPid: null, nowTicks: 10_000, ticksPerSecond: 100 };

type Row = [pid: number, parentPid: number, ownRole: OwnRole | null, startTicks?: number];

function tree(rows: readonly Row[]): Map<number, TreeNode> {
  return new Map(
    rows.map(([pid, parentPid, ownRole, startTicks = 100]) => [
      pid,
      { pid, parentPid, ownRole, startTicks, role: 'other', browserPid: null },
    ]),
  );
}

function place(nodes: Map<number, TreeNode>, changed: Partial<TreeOptions> = {}) {
  placeProcesses(nodes, { ...options, ...changed });
  return Object.fromEntries(
    [...nodes.values()].map((node) => [node.pid, [node.role, node.browserPid]]),
  );
}

const oneBrowser: readonly Row[] = [
  [10, 1, 'browser'],
  [11, 10, 'zygote'],
  [12, 11, 'renderer'],
  [13, 10, 'network'],
];

test('a browser of another session has its roles, and is nobody here; ours stays ours', () => {
  const nodes = tree([...oneBrowser, [30, 1, 'browser'], [31, 30, 'renderer']]);
  const isStranger = (browser: TreeNode) => browser.pid === 30;
  const placed = {
    10: ['browser', 10],
    11: ['zygote', 10],
    12: ['renderer', 10],
    13: ['network', 10],
    30: ['browser', null],
    31: ['renderer', null],
  };
  expect(place(nodes, { isStranger })).toEqual(placed);
  expect(place(nodes, { isStranger: () => true })).toEqual(placed);
  // What has no type yet: by whose browser started it, else by itself. A handler without its socket: nobody's.
  const strays: readonly Row[] = [
    [32, 30, 'other'],
    [33, 1, 'other'],
    [34, 1, 'crashpad'],
    [14, 1, 'other'],
    [15, 1, 'crashpad'],
  ];
  const withStrays = tree([...oneBrowser, [30, 1, 'browser'], ...strays]);
  const others = new Set([30, 33, 34]);
  expect(place(withStrays, { isStranger: ({ pid }) => others.has(pid) })).toMatchObject({
    32: ['other', null],
    33: ['other', null],
    34: ['crashpad', null],
    14: ['other', 10],
    15: ['crashpad', null],
  });
});

describe('one browser', () => {
  test('children and grandchildren belong to it, others do not', () => {
    expect(place(tree([[1, 0, null], ...oneBrowser, [20, 1, null], [21, 20, null]]))).toEqual({
      1: ['other', null],
      10: ['browser', 10],
      11: ['zygote', 10],
      12: ['renderer', 10],
      13: ['network', 10],
      20: ['other', null],
      21: ['other', null],
    });
  });

  test('no processes', () => {
    expect(place(tree([]))).toEqual({});
  });

  test('an orphan keeps its browser, a child that it gets then is nobody’s', () => {
    const nodes = tree(oneBrowser);
    place(nodes);
    nodes.delete(10);
    for (const pid of [11, 13]) Object.assign(nodes.get(pid) ?? {}, { parentPid: 1 });
    const [late] = tree([[14, 11, 'renderer']]).values();
    if (late !== undefined) nodes.set(14, late);
    expect(place(nodes)).toEqual({
      11: ['zygote', 10],
      12: ['renderer', 10],
      13: ['network', 10],
      14: ['renderer', null],
    });
  });

  test('a loop of parents ends', () => {
    const nodes = tree([
      [5, 6, 'renderer'],
      [6, 5, 'zygote'],
      [7, 7, 'zygote'],
    ]);
    expect(place(nodes)).toMatchObject({ 5: ['renderer', null], 7: ['zygote', null] });
    expect(place(nodes, { rootPid: 4 })).toMatchObject({ 5: ['renderer', null] });
  });
});

describe('several browsers', () => {
  test('side by side, one below a wrapper script, one below a Node.js program', () => {
    const nodes = tree([
      ...oneBrowser,
      // dash named chromium: its executable tells, the role is null.
      [30, 1, null],
      [31, 30, 'browser'],
      [32, 31, 'zygote'],
      [40, 1, null],
      [41, 40, 'browser'],
      [42, 41, 'gpu'],
    ]);
    expect(place(nodes)).toMatchObject({
      12: ['renderer', 10],
      30: ['other', null],
      31: ['browser', 31],
      32: ['zygote', 31],
      40: ['other', null],
      41: ['browser', 41],
      42: ['gpu', 41],
    });
  });

  // The network service looks like its parent until it has exec'ed: 3 s, measured.
  test('a copy of the browser is not a browser, nor are its children', () => {
    const nodes = tree([...oneBrowser, [14, 10, 'browser', 9_700], [15, 14, 'browser', 9_750]]);
    expect(place(nodes)).toMatchObject({
      10: ['browser', 10],
      14: ['other', 10],
      15: ['other', 10],
    });
  });

  test('while the first browser itself is young', () => {
    const nodes = tree([
      [10, 1, 'browser', 9_900],
      [14, 10, 'browser', 9_950],
    ]);
    expect(place(nodes)).toEqual({ 10: ['browser', 10], 14: ['other', 10] });
  });

  test('one that stays below another is a second browser, with its own children', () => {
    const nodes = tree([
      ...oneBrowser,
      [50, 10, 'browser', 8_000],
      [51, 50, 'zygote', 8_010],
      [52, 51, 'renderer', 8_020],
    ]);
    expect(place(nodes)).toEqual({
      10: ['browser', 10],
      11: ['zygote', 10],
      12: ['renderer', 10],
      13: ['network', 10],
      50: ['browser', 50],
      51: ['zygote', 50],
      52: ['renderer', 50],
    });
  });

  test('it is decided after 10 s', () => {
    const nodes = tree([...oneBrowser, [50, 10, 'browser', 9_000]]);
    expect(place(nodes, { nowTicks: 10_000 })[50]).toEqual(['other', 10]);
    expect(place(nodes, { nowTicks: 10_001 })[50]).toEqual(['browser', 50]);
  });
});

describe('named as a browser', () => {
  const rows: readonly Row[] = [
    [10, 1, 'perhaps_browser'],
    [20, 1, 'perhaps_browser'],
    [21, 20, 'zygote'],
    [22, 21, 'renderer'],
    // A copy of it that has not told its type.
    [23, 20, 'perhaps_browser'],
  ];

  test('it is one as soon as a process with a type is its child', () => {
    const nodes = tree(rows.slice(0, 2));
    expect(place(nodes)).toEqual({ 10: ['other', null], 20: ['other', null] });
    for (const [pid, node] of tree(rows.slice(2))) nodes.set(pid, node);
    const proven = {
      10: ['other', null],
      20: ['browser', 20],
      21: ['zygote', 20],
      22: ['renderer', 20],
      23: ['other', 20],
    };
    expect(place(nodes)).toEqual(proven);
    for (const pid of [21, 22, 23]) nodes.delete(pid);
    expect(place(nodes)).toEqual({ 10: ['other', null], 20: ['browser', 20] });
  });

  test('a program of that name that starts a browser is none', () => {
    const nodes = tree([
      [10, 1, 'perhaps_browser'],
      [11, 10, 'browser'],
      [12, 11, 'zygote'],
    ]);
    expect(place(nodes)).toEqual({
      10: ['other', null],
      11: ['browser', 11],
      12: ['zygote', 11],
    });
  });
});

describe('crashpad', () => {
  const twoBrowsers: readonly Row[] = [
    [10, 1, 'browser', 7_800],
    [20, 1, 'browser', 8_000],
  ];

  test.each<[string, number, number | null]>([
    ['of the only browser that started at most 5 s before', 8_400, 20],
    ['exactly 5 s after', 8_500, 20],
    ['of one of two: unknown', 8_000, null],
    ['later than any browser starts one', 8_501, null],
    ['before the newer one', 7_999, 10],
    ['older than every browser', 7_000, null],
  ])('%s', (_, startTicks, browserPid) => {
    const nodes = tree([...twoBrowsers, [30, 1, 'crashpad', startTicks]]);
    expect(place(nodes)[30]).toEqual(['crashpad', browserPid]);
  });

  test.each<[string, number | null, readonly number[], number | null]>([
    ['of the one that holds its socket', 10, [], 10],
    ['of nobody here', null, [], null],
    ['of the only one whose sockets cannot be read', null, [20], 20],
  ])('%s', (_, client, unread, browserPid) => {
    const nodes = tree([...twoBrowsers, [30, 1, 'crashpad', 8_010]]);
    const clientOf = () => ({
      client: client === null ? null : (nodes.get(client) ?? null),
      unread: unread.flatMap((pid) => nodes.get(pid) ?? []),
    });
    expect(place(nodes, { clientOf })[30]).toEqual(['crashpad', browserPid]);
  });

  test('a handler that watches over another one is of the same browser', () => {
    const nodes = tree([...twoBrowsers, [30, 1, 'crashpad', 8_010], [31, 1, 'crashpad', 8_020]]);
    const clients = new Map([
      [30, 10],
      [31, 30],
    ]);
    const clientOf = ({ pid }: TreeNode) => ({
      client: nodes.get(clients.get(pid) ?? 0) ?? null,
      unread: [],
    });
    expect(place(nodes, { clientOf })).toMatchObject({
      30: ['crashpad', 10],
      31: ['crashpad', 10],
    });
  });

  test('keeps its browser when a newer one starts', () => {
    const nodes = tree([
      [10, 1, 'browser', 7_800],
      [30, 1, 'crashpad', 8_000],
    ]);
    place(nodes);
    for (const [pid, node] of tree([[20, 1, 'browser', 7_900]])) nodes.set(pid, node);
    expect(place(nodes)[30]).toEqual(['crashpad', 10]);
  });

  test('is never a browser, and has none without one', () => {
    expect(place(tree([[30, 1, 'crashpad', 100]]))).toEqual({ 30: ['crashpad', null] });
  });
});

describe('with --pid', () => {
  const rows: readonly Row[] = [
    [100, 1, null],
    [110, 100, 'browser', 9_990],
    [111, 110, 'zygote', 9_991],
    [112, 100, null],
    [113, 1, 'crashpad', 9_992],
    [200, 1, 'browser', 9_000],
    [201, 200, 'renderer', 9_001],
    [202, 1, 'crashpad', 9_002],
  ];

  test('a program that starts browsers: it and all that descends from it', () => {
    expect(place(tree(rows), { rootPid: 100 })).toEqual({
      100: ['other', 100],
      // Young, and yet no copy of another browser.
      110: ['browser', 100],
      111: ['zygote', 100],
      112: ['other', 100],
      113: ['crashpad', 100],
      200: ['browser', null],
      201: ['renderer', null],
      202: ['crashpad', null],
    });
  });

  test('the browser itself', () => {
    expect(place(tree(rows), { rootPid: 200 })).toMatchObject({
      100: ['other', null],
      110: ['browser', null],
      113: ['crashpad', null],
      200: ['browser', 200],
      201: ['renderer', 200],
      202: ['crashpad', 200],
    });
  });

  test.each<[string, number]>([
    ['before', 9_980],
    ['after', 9_991],
  ])('a crash handler that a stranger’s browser, started %s ours, may have started', (_, start) => {
    const nodes = () => tree([...rows, [300, 1, 'browser', start]]);
    expect(place(nodes(), { rootPid: 100 })[113]).toEqual(['crashpad', null]);
    expect(place(nodes(), { commandPid: 100 })[113]).toEqual(['crashpad', null]);
  });

  test('what belonged to it stays its own when it ends', () => {
    const nodes = tree(rows);
    place(nodes, { rootPid: 100 });
    nodes.delete(100);
    for (const pid of [110, 112]) Object.assign(nodes.get(pid) ?? {}, { parentPid: 1 });
    expect(place(nodes, { rootPid: 100 })).toMatchObject({
      110: ['browser', 100],
      111: ['zygote', 100],
      112: ['other', 100],
    });
  });
});

test('first seen dead: to the newest browser that is older; with --pid only by its parent', () => {
  const rows: readonly Row[] = [
    [10, 1, 'browser', 5_000],
    [20, 1, 'browser', 6_000],
    [30, 1, 'other', 5_500],
    [31, 1, 'other', 9_000],
    [32, 1, 'other', 4_000],
    [33, 10, 'other', 9_000],
  ];
  expect(place(tree(rows))).toMatchObject({
    30: ['other', 10],
    31: ['other', 20],
    32: ['other', null],
    33: ['other', 10],
  });
  expect(place(tree(rows), { rootPid: 10 })).toMatchObject({
    31: ['other', null],
    33: ['other', 10],
  });
});

// Chromium's types of the cases as our roles; the two services are utilities there.
const roleOfType: Readonly<Record<string, ProcessRole>> = {
  browser: 'browser',
  crashpad: 'crashpad',
  renderer: 'renderer',
  zygote: 'zygote',
  'gpu-process': 'gpu',
  utility: 'utility',
};

interface Census {
  census: Record<string, number>;
  total: number;
}

function census(nodes: Map<number, TreeNode>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { role, browserPid } of nodes.values()) {
    if (browserPid !== null) counts[role] = (counts[role] ?? 0) + 1;
  }
  return counts;
}

test('case 052: the census of one browser, two crashpads with parent 1', () => {
  const folder = '052-crashpad-is-not-a-browser';
  const { procs } = caseJson<{
    procs: { pid: number; ppid: number; start: number; type: string }[];
  }>(`${folder}/sample.json`);
  const expected = caseJson<Census>(`${folder}/expected.json`);
  const nodes = tree(
    procs.map(({ pid, ppid, type, start }): Row => [pid, ppid, roleOfType[type] ?? null, start]),
  );
  place(nodes, { nowTicks: 76_470 });
  const roles = Object.entries(expected.census).map(([type, count]) => [roleOfType[type], count]);
  expect(census(nodes)).toEqual(Object.fromEntries(roles));
  expect(new Set([...nodes.values()].map((node) => node.browserPid))).toEqual(new Set([11511]));
  expect(nodes.size).toBe(expected.total);
});

test('case 048: the final census of a start that was polled every few ms', () => {
  const line = /^\s*([\d.]+) pid=(\d+) ppid=(\d+) start=(\d+) comm='([^']*)' nulsep=(\w+).*argv0=/;
  const text = caseBytes('048-zygote-becomes-renderer/startpoll.txt').toString('latin1');
  const nodes = new Map<number, TreeNode>();
  for (const row of text.trim().split('\n')) {
    const [, , pid, parentPid, startTicks, comm] = line.exec(row) ?? [];
    const type = /b'--type=([\w-]+)'/.exec(row)?.[1];
    const isDying = row.endsWith("argv0=b''");
    const ownRole =
      comm === 'chrome_crashpad' ? 'crashpad' : type === undefined ? 'browser' : roleOfType[type];
    if (isDying) {
      nodes.delete(Number(pid));
    } else {
      const known = nodes.get(Number(pid));
      nodes.set(Number(pid), {
        pid: Number(pid),
        // Crashpad's parent, the fork in between, is gone a moment later.
        parentPid: nodes.has(Number(parentPid)) ? Number(parentPid) : 1,
        startTicks: Number(startTicks),
        ownRole: ownRole ?? null,
        role: known?.role ?? 'other',
        browserPid: known?.browserPid ?? null,
      });
    }
    place(nodes, { nowTicks: Number(startTicks) + 300 });
  }
  // "browser 1, zygote 2, gpu-process 1, utility 2, renderer 3, crashpad 1-2"
  expect(census(nodes)).toEqual({
    browser: 1,
    zygote: 2,
    gpu: 1,
    utility: 2,
    renderer: 3,
    crashpad: 1,
  });
});

describe('with a command', () => {
  const nodes = () =>
    tree([
      [1, 0, null],
      ...oneBrowser,
      [50, 1, null],
      [51, 50, null],
      [60, 51, 'browser', 700],
      [61, 60, 'renderer', 701],
      [62, 1, 'crashpad', 702],
    ]);

  test('only the browsers below it are the session’s', () => {
    expect(place(nodes(), { commandPid: 50 })).toEqual({
      1: ['other', null],
      10: ['browser', null],
      11: ['zygote', null],
      12: ['renderer', null],
      13: ['network', null],
      50: ['other', null],
      51: ['other', null],
      60: ['browser', 60],
      61: ['renderer', 60],
      62: ['crashpad', 60],
    });
  });

  test('a browser stays when what started it has ended, and so do its new children', () => {
    const all = nodes();
    place(all, { commandPid: 50 });
    all.delete(51);
    const browser = all.get(60);
    if (browser !== undefined) browser.parentPid = 1;
    all.set(63, {
      pid: 63,
      parentPid: 60,
      ownRole: 'renderer',
      startTicks: 300,
      role: 'other',
      browserPid: null,
    });
    expect(place(all, { commandPid: 50 })).toMatchObject({
      10: ['browser', null],
      60: ['browser', 60],
      63: ['renderer', 60],
    });
  });
});
