import type { ProcessRole } from '../../model/process-role.ts';

/** What the tree needs to know of a process. `ownRole` is what its command line says. */
export interface TreeNode {
  pid: number;
  startTicks: number;
  parentPid: number;
  ownRole: ProcessRole | null;
  /** Filled in by {@link placeProcesses}; kept from tick to tick. */
  role: ProcessRole;
  browserPid: number | null;
}

export interface TreeOptions {
  /** With `--pid`: this process and all that descends from it is the browser. */
  rootPid: number | null;
  /** With `-- CMD`: only browsers below this process are the session's; others are strangers'. */
  commandPid?: number | null;
  /** Start time of "now", for the age of a process. */
  nowTicks: number;
  ticksPerSecond: number;
  /** The nodes that may have changed, every browser among them; default all. */
  changed?: readonly TreeNode[];
}

// The network service looks like a second browser for up to 3 s after its fork.
const undecidedSeconds = 10;
// Crashpad is started by the browser within its first seconds, and leaves the tree at once.
const crashpadWindowSeconds = 5;
// A guard against a loop of parents, which no consistent reading has.
const deepest = 64;

/**
 * Gives each process its role and the browser it belongs to. A browser is a Chromium process
 * without a type that is no child of another browser; its children belong to it. A process that
 * once belonged keeps its browser when its parent dies. Crashpad's handler leaves the tree by a
 * double fork; it goes to the newest browser that is at most a few seconds older, and to none when a
 * stranger's browser may have started it as well. What is first seen dead may have lost its parent as
 * well; it goes to the newest browser.
 */
export function placeProcesses(nodes: ReadonlyMap<number, TreeNode>, options: TreeOptions): void {
  const changed = options.changed ?? [...nodes.values()];
  changed.forEach((node) => {
    const browser = browserAbove(node, nodes, options);
    // Forked from a browser and not yet exec'ed or renamed: its role is not known yet.
    const isCopy = node.ownRole === 'browser' && browser !== node;
    node.role = isCopy ? 'other' : (node.ownRole ?? 'other');
    const owner =
      options.rootPid === null
        ? ofTheSession(browser, nodes, options)
        : ancestor(node, nodes, options.rootPid);
    if (owner !== null) node.browserPid = owner.pid;
  });
  changed.forEach((node) => {
    if (node.browserPid === null) node.browserPid = browserOfStray(node, changed, options);
  });
}

// Once it belongs it stays, also when what started it has ended.
function ofTheSession(
  browser: TreeNode | null,
  nodes: ReadonlyMap<number, TreeNode>,
  { commandPid = null }: TreeOptions,
): TreeNode | null {
  if (browser === null || commandPid === null || browser.browserPid !== null) return browser;
  return ancestor(browser, nodes, commandPid) === null ? null : browser;
}

// The nearest settled browser on the way up through Chromium's processes, else the topmost.
function browserAbove(
  node: TreeNode,
  nodes: ReadonlyMap<number, TreeNode>,
  options: TreeOptions,
): TreeNode | null {
  let topmost: TreeNode | null = null;
  let current: TreeNode | undefined = node;
  for (let depth = 0; depth < deepest; depth++) {
    if (current === undefined || current.ownRole === null) break;
    if (current.ownRole === 'browser') {
      topmost = current;
      if (isSettled(current, options)) break;
    }
    current = nodes.get(current.parentPid);
  }
  return topmost;
}

function ancestor(
  node: TreeNode,
  nodes: ReadonlyMap<number, TreeNode>,
  pid: number,
): TreeNode | null {
  let current: TreeNode | undefined = node;
  for (let depth = 0; current !== undefined && depth < deepest; depth++) {
    if (current.pid === pid) return current;
    current = nodes.get(current.parentPid);
  }
  return null;
}

function browserOfStray(
  node: TreeNode,
  nodes: readonly TreeNode[],
  options: TreeOptions,
): number | null {
  const isCrashpad = node.role === 'crashpad';
  if (!isCrashpad && (node.ownRole !== 'other' || options.rootPid !== null)) return null;
  const windowTicks = isCrashpad
    ? crashpadWindowSeconds * options.ticksPerSecond
    : Number.POSITIVE_INFINITY;
  let newest: TreeNode | null = null;
  for (const candidate of nodes) {
    if (candidate.role !== 'browser') continue;
    const ageTicks = node.startTicks - candidate.startTicks;
    if (ageTicks < 0 || ageTicks > windowTicks) continue;
    if (candidate.browserPid === null) {
      // Nothing here tells whose the handler is, and the end of a stranger's would count as ours.
      if (isCrashpad) return null;
      continue;
    }
    if (newest === null || candidate.startTicks > newest.startTicks) newest = candidate;
  }
  return newest?.browserPid ?? null;
}

function isSettled(node: TreeNode, options: TreeOptions): boolean {
  return options.nowTicks - node.startTicks > undecidedSeconds * options.ticksPerSecond;
}
