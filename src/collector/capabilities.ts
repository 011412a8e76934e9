import fs from 'node:fs';
import { KmsgFile } from './kmsg/kmsg-file.ts';
import { locateCgroupOf } from './local-sources.ts';
import type { Absence, ProcFs } from './procfs/proc-fs.ts';

/** One thing that a recording can hold, and whether this machine lets us read it. */
export interface Capability {
  name: string;
  status: 'ok' | 'partial' | 'no';
  /** What was found. */
  detail: string;
  /** What a recording lacks without it, and what would help; null when nothing is lacking. */
  consequence: string | null;
}

/** What can be read on this machine, what cannot and why. Opens and reads, and changes nothing. */
export function readCapabilities(proc: ProcFs): Capability[] {
  return [
    memory(proc),
    processes(proc),
    pss(proc),
    pressure(proc),
    kernelLog(),
    oomCounter(proc),
    cgroup(),
  ];
}

function memory(proc: ProcFs): Capability {
  const text = proc.text('meminfo');
  const total = /^MemTotal:\s+(\d+) kB/m.exec(text ?? '')?.[1];
  if (total === undefined) {
    return no(
      'machine memory',
      `${proc.root}/meminfo cannot be read`,
      'Nothing can be recorded: mount /proc.',
    );
  }
  const mebibytes = Math.round(Number(total) / 1024);
  return ok(
    'machine memory',
    `${mebibytes} MiB, ${/^MemAvailable:/m.test(text ?? '') ? 'with' : 'without'} MemAvailable`,
  );
}

function processes(proc: ProcFs): Capability {
  const pids = proc.pids();
  const foreign = pids.includes(1) || pids.length > 1;
  return foreign
    ? ok('processes', `${pids.length} in /proc, kernel threads included`)
    : partial(
        'processes',
        'only our own are visible',
        '/proc is mounted with hidepid, or this is a container of its own: run the collector as the browser’s user or as root, inside the session.',
      );
}

// One that is surely another user's where we are not root.
function pss(proc: ProcFs): Capability {
  const others = proc.pids().filter((pid) => pid !== process.pid);
  const outcomes = new Map<number | Absence, number>();
  let readable = 0;
  let denied = 0;
  for (const pid of others) {
    const length = proc.read(`${pid}/smaps_rollup`);
    outcomes.set(length, (outcomes.get(length) ?? 0) + 1);
    if (typeof length === 'number' && length > 0) readable++;
    if (length === 'denied') denied++;
  }
  if (denied === 0) return ok('PSS', `smaps_rollup of ${readable} other processes can be read`);
  const detail = `smaps_rollup of ${readable} other processes can be read, of ${denied} not`;
  return (readable === 0 ? no : partial)(
    'PSS',
    detail,
    'Without it the split of shared memory between roles is unknown; RSS and anonymous memory are exact. Run as root or as the browser’s user.',
  );
}

function pressure(proc: ProcFs): Capability {
  const missing = ['memory', 'cpu', 'io'].filter((name) => proc.text(`pressure/${name}`) === null);
  return missing.length === 0
    ? ok('pressure (PSI)', 'memory, cpu and io')
    : no(
        'pressure (PSI)',
        `no /proc/pressure/${missing[0]}`,
        'Stalls show only in refaults. The kernel needs CONFIG_PSI, and psi=1 where it is off by default.',
      );
}

function kernelLog(): Capability {
  const log = new KmsgFile('/dev/kmsg', fs);
  log.next();
  const reason = log.unavailable;
  log.close();
  return reason === null
    ? ok('kernel log', '/dev/kmsg, from its oldest record')
    : no(
        'kernel log',
        `/dev/kmsg: ${reason}`,
        'OOM kills are known by the kernel’s counters only: how many, not which process. Run as root, or allow CAP_SYSLOG (kernel.dmesg_restrict).',
      );
}

function oomCounter(proc: ProcFs): Capability {
  const count = /^oom_kill (\d+)/m.exec(proc.text('vmstat') ?? '')?.[1];
  return count === undefined
    ? no(
        'OOM kill counter',
        'no oom_kill in /proc/vmstat',
        'It exists since Linux 4.13: kills without a record in the log cannot be counted.',
      )
    : ok('OOM kill counter', `${count} since boot`);
}

function cgroup(): Capability {
  const location = locateCgroupOf('self');
  const own = location?.levels[0];
  return location === null || own === undefined
    ? partial('memory cgroup', 'none', 'The limit is the machine’s memory.')
    : ok('memory cgroup', `version ${location.version}, ${own.path} in ${location.mountPoint}`);
}

function ok(name: string, detail: string): Capability {
  return { name, status: 'ok', detail, consequence: null };
}

function partial(name: string, detail: string, consequence: string): Capability {
  return { name, status: 'partial', detail, consequence };
}

function no(name: string, detail: string, consequence: string): Capability {
  return { name, status: 'no', detail, consequence };
}
