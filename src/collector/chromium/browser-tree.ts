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
  /** Start time of "now", for the age of a process. */
  nowTicks: number;
  ticksPerSecond: number;
}

// The network service looks like a second browser for up to 3 s after its fork.
const undecidedSeconds = 10;
// Crashpad is started by the browser within its first seconds, and leaves the tree at once.
const crashpadWindowSeconds = 5;

/**
 * Gives each process its role and the browser it belongs to. A browser is a Chromium process
 * without a type that is no child of another browser; its children belong to it. A process that
 * once belonged keeps its browser when its parent dies. Crashpad's handler leaves the tree by a
 * double fork; it goes to the newest browser that is at most a few seconds older.
 */
export function placeProcesses(nodes: ReadonlyMap<number, TreeNode>, options: TreeOptions): void {
  for (const node of nodes.values()) {
    const browser = owner(node, nodes, options);
    if (browser !== null) node.browserPid = browser.pid;
    node.role = roleInTree(node, browser, options);
  }
  for (const node of nodes.values()) {
    if (node.role === 'crashpad' && node.browserPid === null) {
      node.browserPid = browserOfCrashpad(node, nodes, options)?.pid ?? null;
    }
  }
}

// The topmost browser on the way up; with a root, the root if it is on the way.
function owner(
  node: TreeNode,
  nodes: ReadonlyMap<number, TreeNode>,
  options: TreeOptions,
): TreeNode | null {
  let topmost: TreeNode | null = null;
  let current: TreeNode | undefined = node;
  for (let depth = 0; current !== undefined && depth < 64; depth++) {
    if (options.rootPid !== null) {
      if (current.pid === options.rootPid) return current;
    } else if (current.ownRole === 'browser') {
      topmost = current;
    } else if (current.ownRole === null) {
      break;
    }
    current = current.parentPid === current.pid ? undefined : nodes.get(current.parentPid);
  }
  if (
    topmost !== null &&
    topmost !== node &&
    node.ownRole === 'browser' &&
    isSettled(node, options)
  ) {
    return node;
  }
  return topmost;
}

function roleInTree(node: TreeNode, browser: TreeNode | null, options: TreeOptions): ProcessRole {
  if (node.ownRole === null) return 'other';
  const isSecond = node.ownRole === 'browser' && browser !== null && browser !== node;
  // Forked from a browser and not yet exec'ed or renamed: its role is not known yet.
  return isSecond && !isSettled(node, options) ? 'other' : node.ownRole;
}

function browserOfCrashpad(
  node: TreeNode,
  nodes: ReadonlyMap<number, TreeNode>,
  options: TreeOptions,
): TreeNode | null {
  if (options.rootPid !== null && !nodes.has(options.rootPid)) return null;
  let newest: TreeNode | null = null;
  for (const candidate of nodes.values()) {
    if (candidate.role !== 'browser' || candidate.browserPid === null) continue;
    const ageTicks = node.startTicks - candidate.startTicks;
    if (ageTicks < 0 || ageTicks > crashpadWindowSeconds * options.ticksPerSecond) continue;
    if (newest === null || candidate.startTicks > newest.startTicks) newest = candidate;
  }
  if (newest === null) return null;
  return nodes.get(newest.browserPid ?? newest.pid) ?? newest;
}

function isSettled(node: TreeNode, options: TreeOptions): boolean {
  return options.nowTicks - node.startTicks > undecidedSeconds * options.ticksPerSecond;
}
