import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { removeCgroupTree } from './cgroup-tree.ts';
import type { CgroupLevel, CgroupLocation } from './locate-cgroup.ts';

// With both limits of v1 the same, that of memory and swap is hit first, and memory.failcnt never
// counts (nor does memory.memsw.failcnt on 6.18).
const swapSlackBytes = 2 ** 20;

export interface LimitedCgroupOptions {
  /** Whole pages; the kernel rounds down. There is no swap beside it worth mentioning. */
  limitBytes: number;
  /** One path segment, new among the cgroups beside it. */
  name: string;
  /** The memory cgroup of this process: the new one is made below it, or as near as may be. */
  location: CgroupLocation | null;
}

export interface LimitedCgroup {
  /** Below the mount point. */
  path: string;
  directory: string;
  /** Whoever writes `0` to this file moves in, and all it starts afterwards. */
  procsFile: string;
  /** For reading it, with its parents. */
  location: CgroupLocation;
  /**
   * Removes the cgroup, and what was made below it; waits for processes that are just ending, and
   * touches none. False when it is still there.
   */
  remove(wait?: RemovalWait): Promise<boolean>;
}

export interface RemovalWait {
  /** Default: 200 ms. */
  longestMs?: number;
  /** Ends the wait at once. */
  hurry?: AbortSignal;
}

/**
 * Makes a memory cgroup with a limit. Throws CGROUP_DENIED where there is no memory controller or
 * no permission, TypeError and RangeError for a bad name or limit.
 */
export function createLimitedCgroup(options: LimitedCgroupOptions): LimitedCgroup {
  const { limitBytes, name, location } = options;
  if (!Number.isSafeInteger(limitBytes) || limitBytes <= 0) {
    throw new RangeError(`limitBytes must be a whole number of bytes above 0, got ${limitBytes}`);
  }
  if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name)) {
    throw new TypeError(`name must be one path segment of letters, digits, . _ -, got ${name}`);
  }
  if (location === null) {
    throw new HeadroomError('CGROUP_DENIED', 'this machine has no memory controller of cgroups', {
      hint: 'Leave out --memory-limit: the session then has the memory of the machine.',
    });
  }
  const { made, parentIndex } = makeBelow(location, name);
  try {
    setLimit(made.directory, location.version, limitBytes);
  } catch (error) {
    fs.rmdirSync(made.directory);
    throw denied(`cannot limit ${made.directory} to ${limitBytes} bytes`, error);
  }
  return {
    ...made,
    procsFile: `${made.directory}/cgroup.procs`,
    location: { ...location, levels: [made, ...location.levels.slice(parentIndex)] },
    remove: (wait = {}) => removeDirectory(made.directory, wait),
  };
}

/**
 * On v1 any cgroup can have children. On v2 only one that passes the memory controller on, and a
 * cgroup with processes of its own (ours) cannot begin to: then it is the nearest parent that does.
 */
function makeBelow(
  { version, levels, mountPoint }: CgroupLocation,
  name: string,
): { made: CgroupLevel; parentIndex: number } {
  let reason: unknown;
  for (const [parentIndex, parent] of levels.entries()) {
    const made = {
      path: parent.path === '/' ? `/${name}` : `${parent.path}/${name}`,
      directory: `${parent.directory}/${name}`,
    };
    try {
      if (version === 2) passMemoryControllerOn(parent.directory);
      fs.mkdirSync(made.directory);
      removeAbandoned(parent.directory);
      return { made, parentIndex };
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === null) throw error;
      if (errno === 'EEXIST') throw denied(`cannot make ${made.directory}`, error);
      // In a container the nearest ones may not exist: that is not the reason to tell.
      if (errno !== 'ENOENT') reason ??= error;
    }
  }
  throw denied(`cannot make a memory cgroup below ${levels[0]?.directory ?? mountPoint}`, reason);
}

// What recorders that were killed left behind; never one whose command may be about to move in.
const abandonedAfterMs = 60_000;

function removeAbandoned(parent: string): void {
  for (const name of fs.readdirSync(parent)) {
    if (!/^headroom-[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name)) continue;
    try {
      const { mtimeMs } = fs.statSync(`${parent}/${name}`);
      // One whose command still runs stays: it may be wanted, with its limit.
      if (Date.now() - mtimeMs > abandonedAfterMs) removeCgroupTree(`${parent}/${name}`);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
    }
  }
}

function passMemoryControllerOn(directory: string): void {
  const file = `${directory}/cgroup.subtree_control`;
  if (fs.readFileSync(file, 'utf8').split(/\s/).includes('memory')) return;
  fs.writeFileSync(file, '+memory');
}

function setLimit(directory: string, version: 1 | 2, limitBytes: number): void {
  if (version === 1) {
    fs.writeFileSync(`${directory}/memory.limit_in_bytes`, String(limitBytes));
    // Memory and swap together; not there without swap accounting.
    writeWhereAllowed(
      `${directory}/memory.memsw.limit_in_bytes`,
      String(limitBytes + swapSlackBytes),
    );
  } else {
    fs.writeFileSync(`${directory}/memory.max`, String(limitBytes));
    writeWhereAllowed(`${directory}/memory.swap.max`, '0');
  }
}

function writeWhereAllowed(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

function denied(what: string, cause: unknown): HeadroomError {
  return new HeadroomError('CGROUP_DENIED', `${what}: ${errnoOf(cause) ?? 'ENOENT'}`, {
    cause,
    hint: 'Run as root, or leave out --memory-limit and start Headroom in a limited unit: systemd-run --user --scope -p MemoryMax=1G headroom record ….',
  });
}

const removalTryMs = 20;

async function removeDirectory(
  directory: string,
  { longestMs = 200, hurry }: RemovalWait,
): Promise<boolean> {
  for (let triesLeft = Math.ceil(longestMs / removalTryMs); ; triesLeft--) {
    if (removeCgroupTree(directory)) return true;
    if (triesLeft <= 0 || hurry?.aborted === true) return false;
    await sleep(removalTryMs);
  }
}
