import { type CgroupLocation, locateCgroup } from '../../collector/cgroup/locate-cgroup.ts';
import { unsignedAt } from '../../collector/procfs/keyed-file.ts';
import { runScript, type SessionCollector } from '../session-collector.ts';
import { firstLinesScript, sessionFactsScript } from './light-scripts.ts';

/** What a session has to run a sampler with, and what its kernel says of itself. */
export interface SessionFactsThere {
  /** Paths of programs; null for one that is not there. */
  programs: Readonly<Record<'perl' | 'bash' | 'busybox' | 'node', string | null>>;
  arch: string;
  kernel: string;
  hostName: string;
  bootId: string | null;
  cpuCount: number | null;
  pageSizeBytes: number;
  clockTicksPerSecond: number;
  /** Files that a process may have open; null: no limit. */
  openFiles: number | null;
  memoryTotalBytes: number | null;
  cgroup: CgroupLocation | null;
}

/** Asks a session; `nodePath` is the Node.js that is asked for. */
export async function readSessionFacts(
  { session }: Pick<SessionCollector, 'session'>,
  nodePath: string,
): Promise<SessionFactsThere> {
  return parseSessionFacts(await runScript(session, [sessionFactsScript, nodePath]));
}

/** What the script says. Page size and clock tick are what nearly all of Linux has where it does not. */
export function parseSessionFacts(text: string): SessionFactsThere {
  const [facts = '', cgroups = ''] = text.split(/^cgroup:$/m);
  const [cgroup = '', mountinfo = ''] = cgroups.split(/^mountinfo:$/m);
  const value = (key: string) => new RegExp(`^${key} +(\\S.*)$`, 'm').exec(facts)?.[1] ?? null;
  const count = (key: string) => unsignedAt(value(key) ?? '', 0);
  const totalKb = count('MemTotal:');
  return {
    programs: {
      perl: value('perl'),
      bash: value('bash'),
      busybox: value('busybox'),
      node: value('node'),
    },
    arch: value('arch') ?? '',
    kernel: value('kernel') ?? '',
    hostName: value('host') ?? '',
    bootId: value('boot'),
    cpuCount: count('cpus'),
    pageSizeBytes: count('page') ?? 4096,
    clockTicksPerSecond: count('tick') ?? 100,
    openFiles: count('files'),
    memoryTotalBytes: totalKb === null ? null : totalKb * 1024,
    cgroup: locateCgroup({ cgroup, mountinfo: mountinfo.trim() === '' ? null : mountinfo }),
  };
}

const limitFile = /\/memory\.(max|limit_in_bytes)$/;

/** The smallest limit of the session's memory: that of a cgroup above it, or the machine's; bytes. */
export async function readMemoryLimit(
  { session }: SessionCollector,
  facts: SessionFactsThere,
): Promise<number | null> {
  const files = cgroupFiles(facts.cgroup).filter((file) => limitFile.test(file));
  const text = await runScript(session, [firstLinesScript, ...files]);
  const limits = text.split('\n').flatMap((line) => unsignedAt(line, 0) ?? []);
  if (facts.memoryTotalBytes !== null) limits.push(facts.memoryTotalBytes);
  return limits.length === 0 ? null : Math.min(...limits);
}

const filesOfVersion = {
  1: [
    'limit_in_bytes',
    'usage_in_bytes',
    'max_usage_in_bytes',
    'kmem.usage_in_bytes',
    'stat',
  ].concat(['oom_control', 'failcnt', 'memsw.failcnt']),
  2: ['max', 'current', 'peak', 'swap.current', 'stat', 'events'],
};
// Beyond that nobody nests sessions.
const mostLevels = 8;

/** The files that the readers of a memory cgroup take: of every level, and pressure of the first. */
export function cgroupFiles(cgroup: CgroupLocation | null): string[] {
  if (cgroup === null) return [];
  const own = cgroup.levels[0]?.directory ?? cgroup.mountPoint;
  const pressure = ['memory', 'cpu', 'io'].map((resource) => `${own}/${resource}.pressure`);
  const names = filesOfVersion[cgroup.version];
  return [
    ...cgroup.levels
      .slice(0, mostLevels)
      .flatMap(({ directory }) => names.map((name) => `${directory}/memory.${name}`)),
    ...(cgroup.version === 2 ? pressure : []),
  ];
}
