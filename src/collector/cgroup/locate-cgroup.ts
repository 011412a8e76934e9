import { pathInHierarchy } from '../procfs/process-cgroup.ts';

/** A cgroup on the way from a process up to the root that can be seen. */
export interface CgroupLevel {
  /** Below the mount point, `/` for the root. */
  path: string;
  /** Where its files are. */
  directory: string;
}

/** Where the cgroup of a process is found in the file system. */
export interface CgroupLocation {
  version: 1 | 2;
  mountPoint: string;
  /**
   * The process's own cgroup first, the root last. In a container the first ones may not exist
   * (the path is the host's): the nearest that does is the one that counts.
   */
  levels: readonly CgroupLevel[];
}

export interface CgroupTexts {
  /** `/proc/<pid>/cgroup` (cgroups(7)), decoded as UTF-8. */
  cgroup: string;
  /** `/proc/<pid>/mountinfo` (proc_pid_mountinfo(5)); null when unreadable: the usual places then. */
  mountinfo: string | null;
  /** Put before every mount point; for recorded trees. */
  root?: string;
}

interface CgroupMount {
  version: 1 | 2;
  /** The cgroup that is mounted, as seen from the reader's cgroup namespace. */
  root: string;
  mountPoint: string;
  /** Controllers of a v1 hierarchy, and other options. */
  options: readonly string[];
}

/**
 * Finds the files of the memory controller: of the v1 hierarchy that has it, else of v2. Null when
 * there is none, or when the process lives outside of what the reader can see. Whether the
 * directories exist is not looked at.
 */
export function locateCgroup(texts: CgroupTexts): CgroupLocation | null {
  const path = pathInHierarchy(texts.cgroup, 'memory');
  if (path === null) return locateUnifiedCgroup(texts);
  const isMemory = (mount: CgroupMount) => mount.version === 1 && mount.options.includes('memory');
  return locate(path, mountsOf(texts).filter(isMemory), texts.root ?? '');
}

/** The cgroup in the v2 hierarchy, which has pressure files even where memory is governed by v1. */
export function locateUnifiedCgroup(texts: CgroupTexts): CgroupLocation | null {
  const path = pathInHierarchy(texts.cgroup, '');
  const isUnified = (mount: CgroupMount) => mount.version === 2;
  return path === null ? null : locate(path, mountsOf(texts).filter(isUnified), texts.root ?? '');
}

function locate(path: string, mounts: readonly CgroupMount[], root: string): CgroupLocation | null {
  // `/../x`: in a cgroup beside the root of our namespace.
  const isOutside = path.split('/').includes('..');
  const seen = mounts
    .map((mount) => ({ mount, path: pathBelow(mount.root, path) }))
    .filter((candidate) => candidate.path !== null)
    // The mount with the shortest root shows the most parents.
    .sort((a, b) => a.mount.root.length - b.mount.root.length)[0];
  const mount = seen?.mount ?? (isOutside ? undefined : mounts[0]);
  if (mount === undefined) return null;
  const mountPoint = `${root}${mount.mountPoint}`;
  // A mount that does not contain the path was made from another namespace, for this container.
  return { version: mount.version, mountPoint, levels: levelsOf(mountPoint, seen?.path ?? '/') };
}

function pathBelow(mountRoot: string, path: string): string | null {
  const prefix = mountRoot === '/' ? '' : mountRoot;
  if (path === mountRoot) return '/';
  if (!path.startsWith(`${prefix}/`)) return null;
  const below = path.slice(prefix.length);
  return below.split('/').includes('..') ? null : below;
}

function levelsOf(mountPoint: string, path: string): CgroupLevel[] {
  const levels: CgroupLevel[] = [];
  for (let at = path; at !== '/' && at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    levels.push({ path: at, directory: `${mountPoint}${at}` });
  }
  return [...levels, { path: '/', directory: mountPoint }];
}

function mountsOf({ mountinfo }: CgroupTexts): CgroupMount[] {
  if (mountinfo === null) {
    return [
      { version: 1, root: '/', mountPoint: '/sys/fs/cgroup/memory', options: ['memory'] },
      { version: 2, root: '/', mountPoint: '/sys/fs/cgroup', options: [] },
    ];
  }
  return mountinfo.split('\n').flatMap((line) => parseMount(line) ?? []);
}

/** `<id> <parent> <dev> <root> <mount point> <options> [<tag>…] - <type> <source> <super options>` */
function parseMount(line: string): CgroupMount | null {
  const [place = '', filesystem] = line.split(' - ');
  const [, , , root, mountPoint] = place.split(' ');
  const [type, , options = ''] = filesystem?.split(' ') ?? [];
  if (root === undefined || mountPoint === undefined) return null;
  if (type !== 'cgroup' && type !== 'cgroup2') return null;
  return {
    version: type === 'cgroup' ? 1 : 2,
    root: unescapeOctal(root),
    mountPoint: unescapeOctal(mountPoint),
    options: options.split(','),
  };
}

/** The kernel writes blank, tab, line feed and backslash as `\040`, `\011`, `\012`, `\134`. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  );
}
