import type { ProcessRole } from '../../model/process-role.ts';
import type { OwnRole } from './command-line.ts';
import type { HandlerClient } from './handler-client.ts';

/** What the tree needs to know of a process. `ownRole` is what its command line says. */
export interface TreeNode {
  pid: number;
  startTicks: number;
  parentPid: number;
  ownRole: OwnRole | null;
  /** Filled in by {@link placeProcesses}; kept from tick to tick. */
  role: ProcessRole;
  browserPid: number | null;
}

export interface TreeOptions {
  /** With `--pid`: this process and all that descends from it is the browser. */
  rootPid: number | null;
  /** With `-- CMD`: only browsers below this process are the session's; others are strangers'. */
  commandPid?: number | null;
  /** Whether a process of a browser is another session's, on a machine with several; default: none is. */
  isStranger?: ((node: TreeNode) => boolean) | null;
  /** Start time of "now", for the age of a process. */
  nowTicks: number;
  ticksPerSecond: number;
  /** The nodes that may have changed, every browser among them; default all. */
  changed?: readonly TreeNode[];
  /** Which of these started a crash handler; left out where sockets cannot be looked at. */
  clientOf?: (handler: TreeNode, candidates: readonly TreeNode[]) => HandlerClient<TreeNode>;
}

// The network service looks like a second browser for up to 3 s after its fork.
const undecidedSeconds = 10;
// Crashpad is started by the browser within its first seconds, and leaves the tree at once: one that
// is older or younger was not started by it.
const crashpadWindowSeconds = 5;
// A guard against a loop of parents, which no consistent reading has.
const deepest = 64;

/**
 * Gives each process its role and the browser it belongs to. A browser is a Chromium process
 * without a type that is no child of another browser; its children belong to it. What only has the
 * name of one is none until a process with a type is its child. A process that once belonged keeps
 * its browser when its parent dies. Crashpad's handler leaves the tree by a double fork; it goes to
 * the browser that holds the other end of its socket, and where that cannot be read only to one that
 * nobody else can be. What is first seen dead may have lost its parent as well; it goes to the newest
 * browser.
 */
export function placeProcesses(nodes: ReadonlyMap<number, TreeNode>, options: TreeOptions): void {
  const changed = options.changed ?? [...nodes.values()];
  changed.forEach((node) => {
    proveParent(node, nodes);
  });
  changed.forEach((node) => {
    const browser = browserAbove(node, nodes, options);
    // Forked from a browser and not yet exec'ed or renamed: its role is not known yet.
    const isCopy = node.ownRole === 'browser' && browser !== node;
    const { ownRole } = node;
    node.role = isCopy || ownRole === null || ownRole === 'perhaps_browser' ? 'other' : ownRole;
    const owner =
      options.rootPid === null
        ? ofTheSession(browser, nodes, options)
        : ancestor(node, nodes, options.rootPid);
    if (owner !== null) node.browserPid = owner.pid;
  });
  changed.forEach((node) => {
    if (node.browserPid !== null) return;
    const stray = browserOfStray(node, changed, options);
    if (stray !== null && !isStrangers(node, nodes, options)) node.browserPid = stray;
  });
}

const withoutType: ReadonlySet<OwnRole | null> = new Set([
  null,
  'browser',
  'perhaps_browser',
  'crashpad',
  'other',
]);

// Chromium starts a zygote before anything else, and says `--type` there.
function proveParent(node: TreeNode, nodes: ReadonlyMap<number, TreeNode>): void {
  if (withoutType.has(node.ownRole)) return;
  const parent = nodes.get(node.parentPid);
  if (parent?.ownRole === 'perhaps_browser') parent.ownRole = 'browser';
}

/** Below a browser that is not ours, or of another session by itself. */
function isStrangers(
  node: TreeNode,
  nodes: ReadonlyMap<number, TreeNode>,
  options: TreeOptions,
): boolean {
  return browserAbove(node, nodes, options) !== null || options.isStranger?.(node) === true;
}

// Once it belongs it stays, also when what started it has ended.
function ofTheSession(
  browser: TreeNode | null,
  nodes: ReadonlyMap<number, TreeNode>,
  { commandPid = null, isStranger = null }: TreeOptions,
): TreeNode | null {
  if (browser === null || browser.browserPid !== null) return browser;
  if (isStranger?.(browser) === true) return null;
  if (commandPid === null) return browser;
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
  if (node.role === 'crashpad') return browserOfHandler(node, nodes, options);
  if (node.ownRole !== 'other' || options.rootPid !== null) return null;
  let newest: TreeNode | null = null;
  for (const candidate of nodes) {
    if (candidate.role !== 'browser' || candidate.browserPid === null) continue;
    if (candidate.startTicks > node.startTicks) continue;
    if (newest === null || candidate.startTicks > newest.startTicks) newest = candidate;
  }
  return newest?.browserPid ?? null;
}

// Nothing but the socket tells whose a handler is: where two may have started it, it is nobody's, as
// the end of a stranger's would count as ours.
function browserOfHandler(
  handler: TreeNode,
  nodes: readonly TreeNode[],
  { clientOf, ticksPerSecond }: TreeOptions,
): number | null {
  const older = nodes.filter(
    ({ role, pid, startTicks }) =>
      (role === 'browser' || role === 'crashpad') &&
      pid !== handler.pid &&
      startTicks <= handler.startTicks,
  );
  const { client, unread } = clientOf?.(handler, older) ?? { client: null, unread: older };
  if (client !== null) return client.browserPid;
  const [only, ...others] = unread.filter(
    ({ role, startTicks }) =>
      role === 'browser' &&
      handler.startTicks - startTicks <= crashpadWindowSeconds * ticksPerSecond,
  );
  return only === undefined || others.length > 0 ? null : only.browserPid;
}

function isSettled(node: TreeNode, options: TreeOptions): boolean {
  return options.nowTicks - node.startTicks > undecidedSeconds * options.ticksPerSecond;
}
