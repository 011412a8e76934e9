import type { OomScope } from '../../model/event.ts';

/** One line of an OOM report. Names hold one byte per character (latin1), sizes are in kB. */
export type OomLine =
  | { line: 'header'; comm: string }
  /** The first line of the stack dump; `rest` begins with the comm of the task that allocated. */
  | { line: 'cpu'; pid: number; rest: string }
  /** Up to 4.20, where no summary line names the cgroups. */
  | { line: 'cgroups'; taskCgroup: string; cgroup: string }
  | { line: 'usage'; usageKb: number; limitKb: number }
  | { line: 'columns'; names: string[] }
  | { line: 'task'; pid: number; rest: string }
  | SummaryLine
  /** Up to 5.0: who is to be killed, or a child in its place. Not yet a kill. */
  | { line: 'announcement'; pid: number; scope: OomScope }
  | KillLine
  | { line: 'already_exiting'; pid: number }
  | { line: 'group'; cgroup: string }
  | { line: 'no_killable' }
  | { line: 'suppressed'; count: number }
  | { line: 'panic' }
  /** Speaks of a kill in words that are new to us. */
  | { line: 'unreadable' };

export interface SummaryLine {
  line: 'summary';
  constraint: string;
  cpuset: string | null;
  memsAllowed: string | null;
  cgroup: string | null;
  taskCgroup: string | null;
  comm: string;
  pid: number;
  uid: number;
}

export interface KillLine {
  line: 'kill';
  /** From the words before `Killed process`; null when there are none (up to 5.0). */
  scope: OomScope | null;
  victim: Victim;
}

/** Who was killed, and how large it was. */
export interface Victim {
  pid: number;
  comm: string;
  uid: number | null;
  totalVmKb: number | null;
  anonKb: number | null;
  fileKb: number | null;
  shmemKb: number | null;
  pageTablesKb: number | null;
  oomScoreAdj: number | null;
}

/**
 * What a kernel message says about an OOM, as printed by Linux 4.4 to 6.18 (mm/oom_kill.c and
 * mm/memcontrol.c); null for all other messages. Every pattern is anchored at the start, because
 * other messages may quote names that a user chose.
 */
export function parseOomLine(text: string): OomLine | null {
  for (const parse of parsers) {
    const line = parse(text);
    if (line !== null) return line;
  }
  return looksLikeOom(text) ? { line: 'unreadable' } : null;
}

/** Whether a message would pass for a part of an OOM report that speaks of a kill. */
export function looksLikeOom(text: string): boolean {
  return /invoked oom-killer:|^oom-kill:|Killed process \d/.test(text);
}

const parsers: readonly ((text: string) => OomLine | null)[] = [
  taskLine,
  killLine,
  summaryLine,
  headerLine,
  cpuLine,
  usageLine,
  columnsLine,
  announcementLine,
  groupLine,
  cgroupsLine,
  endingLine,
];

const prefix = '(?:([\\w() ]*[Oo]ut of memory[\\w() ]*): )?';

// A comm may hold `)` and blanks: it ends where the first size begins, seen from the end.
// RHEL kernels put `, UID 0,` before or after it.
const killPattern = new RegExp(
  `^${prefix}Killed process (\\d{1,10}),? (?:UID (\\d{1,10}), )?\\((.*)\\),? (?:UID (\\d{1,10}), )?total-vm:(.*)`,
  's',
);

function killLine(text: string): KillLine | null {
  const match = killPattern.exec(text);
  if (match === null) return null;
  const sizes = `total-vm:${match[6] ?? ''}`;
  const uid = match[3] ?? match[5] ?? /UID:(\d{1,10})/.exec(sizes)?.[1];
  return {
    line: 'kill',
    scope: match[1] === undefined ? null : prefixScope(match[1]),
    victim: {
      pid: Number(match[2]),
      comm: match[4] ?? '',
      uid: numberOrNull(uid),
      totalVmKb: numberOrNull(/total-vm:(\d{1,16})kB/.exec(sizes)?.[1]),
      anonKb: numberOrNull(/anon-rss:(\d{1,16})kB/.exec(sizes)?.[1]),
      fileKb: numberOrNull(/file-rss:(\d{1,16})kB/.exec(sizes)?.[1]),
      shmemKb: numberOrNull(/shmem-rss:(\d{1,16})kB/.exec(sizes)?.[1]),
      pageTablesKb: numberOrNull(/pgtables:(\d{1,16})kB/.exec(sizes)?.[1]),
      oomScoreAdj: numberOrNull(/oom_score_adj:(-?\d{1,5})/.exec(sizes)?.[1]),
    },
  };
}

// The first `,task=` that leaves a comm of at most 15 bytes: cgroup names may hold anything.
const summaryPattern =
  /^oom-kill:constraint=([^,]*)(.*?),task=(.{0,15}),pid=(\d{1,10}),uid=(\d{1,10})/s;

function summaryLine(text: string): SummaryLine | null {
  const match = summaryPattern.exec(text);
  if (match === null) return null;
  const middle = match[2] ?? '';
  const cpuset = /,cpuset=(.*?),mems_allowed=([\d,-]*\d)/s.exec(middle);
  return {
    line: 'summary',
    constraint: match[1] ?? '',
    cpuset: cpuset?.[1] ?? null,
    memsAllowed: cpuset?.[2] ?? null,
    cgroup: /,oom_memcg=(.*?)(?:,task_memcg=|$)/s.exec(middle)?.[1] ?? null,
    taskCgroup: /,task_memcg=(.*)$/s.exec(middle)?.[1] ?? null,
    comm: match[3] ?? '',
    pid: Number(match[4]),
    uid: Number(match[5]),
  };
}

function headerLine(text: string): OomLine | null {
  const match = /^(.{0,15}) invoked oom-killer:/s.exec(text);
  return match === null ? null : { line: 'header', comm: match[1] ?? '' };
}

function cpuLine(text: string): OomLine | null {
  const match = /^CPU: \d+ (?:UID: \d+ )?PID: (\d{1,10}) Comm: (.*)/s.exec(text);
  return match === null ? null : { line: 'cpu', pid: Number(match[1]), rest: match[2] ?? '' };
}

// v1 prints `memory+swap:` and `kmem:` besides, v2 `swap:`; neither is the limit asked for here.
function usageLine(text: string): OomLine | null {
  const match = /^memory: usage (\d{1,16})kB, limit (\d{1,16})kB/.exec(text);
  if (match === null) return null;
  return { line: 'usage', usageKb: Number(match[1]), limitKb: Number(match[2]) };
}

function columnsLine(text: string): OomLine | null {
  const match = /^\[ *pid *\] +(.*)$/.exec(text);
  return match === null
    ? null
    : { line: 'columns', names: (match[1] ?? '').trim().split(/\s+/, 32) };
}

function taskLine(text: string): OomLine | null {
  const match = /^\[ *(\d{1,10})\](.*)$/s.exec(text);
  return match === null ? null : { line: 'task', pid: Number(match[1]), rest: match[2] ?? '' };
}

const announcementPattern = new RegExp(`^${prefix}Kill process (\\d{1,10}) \\(`);

function announcementLine(text: string): OomLine | null {
  const match = announcementPattern.exec(text);
  if (match === null) return null;
  return { line: 'announcement', pid: Number(match[2]), scope: prefixScope(match[1] ?? '') };
}

function groupLine(text: string): OomLine | null {
  const match = /^Tasks in (.*) are going to be killed due to memory\.oom\.group set/s.exec(text);
  return match === null ? null : { line: 'group', cgroup: match[1] ?? '' };
}

function cgroupsLine(text: string): OomLine | null {
  const match = /^Task in (.*) killed as a result of limit of (.*)$/s.exec(text);
  if (match === null) return null;
  return { line: 'cgroups', taskCgroup: match[1] ?? '', cgroup: match[2] ?? '' };
}

const exitingPattern = new RegExp(
  `^${prefix}OOM victim (\\d{1,10}) \\(.*\\) is already exiting`,
  's',
);

function endingLine(text: string): OomLine | null {
  const exiting = exitingPattern.exec(text);
  if (exiting !== null) return { line: 'already_exiting', pid: Number(exiting[2]) };
  if (text.startsWith('Out of memory and no killable processes')) return { line: 'no_killable' };
  const suppressed = /^oom_kill_process: (\d{1,9}) callbacks suppressed/.exec(text);
  if (suppressed !== null) return { line: 'suppressed', count: Number(suppressed[1]) };
  const panic = /^Kernel panic - not syncing: (?:out of memory|System is deadlocked on memory)/i;
  return panic.test(text) ? { line: 'panic' } : null;
}

function prefixScope(words: string): OomScope {
  if (words.startsWith('Memory cgroup out of memory')) return 'cgroup';
  return words.startsWith('Out of memory') ? 'machine' : 'unknown';
}

function numberOrNull(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}
