import fs from 'node:fs';
import { formatBytes } from '../model/format-bytes.ts';
import type { Sample } from '../model/sample.ts';
import { bindingCgroup } from '../model/session-memory.ts';
import { KmsgFile } from './kmsg/kmsg-file.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import { isProtected, protectionWords, type SelfProtection } from './self-protection.ts';

/** One thing that a recording can hold, and whether this machine lets us read it. */
export interface Capability {
  name: string;
  status: 'ok' | 'partial' | 'no';
  /** What was found. */
  detail: string;
  /** What a recording lacks without it, and what would help; null when nothing is lacking. */
  consequence: string | null;
}

export interface CapabilityContext {
  proc: ProcFs;
  /** Taken here and now. */
  sample: Pick<Sample, 'machine' | 'cgroup' | 'processes'>;
  /** Why the kernel does not tell how processes end; null when it does. */
  exitsUnavailable: string | null;
  /** What this process could do for itself. */
  protection: SelfProtection;
  kmsgPath?: string;
  /** Whether we are root already, and it is no use to become it. */
  isRoot?: boolean;
}

/** What can be read on this machine, what cannot and why. Opens and reads, and changes nothing. */
export function readCapabilities(context: CapabilityContext): Capability[] {
  return [
    memory(context),
    cgroup(context),
    processes(context),
    pss(context),
    pressure(context),
    kernelLog(context),
    oomCounter(context),
    processExits(context),
    selfProtection(context),
  ];
}

function memory({ proc, sample }: CapabilityContext): Capability {
  const total = formatBytes(sample.machine.totalBytes);
  return sample.machine.availableBytes === null
    ? partial(
        'machine memory',
        `${total} without MemAvailable`,
        'What is available is unknown outside of a limited cgroup. It exists since Linux 3.14.',
      )
    : ok('machine memory', `${total}, of ${proc.root}/meminfo`);
}

function cgroup({ sample }: CapabilityContext): Capability {
  const { cgroup } = sample;
  if (cgroup === null) {
    return partial('memory cgroup', 'none', 'The limit is the machine’s memory.');
  }
  const { version, path, limitBytes } = cgroup;
  const limit =
    limitBytes === null ? 'without a limit' : `with a limit of ${formatBytes(limitBytes)}`;
  const detail = `version ${version}, ${path}, ${limit}`;
  return cgroup.oomKillCount === null
    ? partial(
        'memory cgroup',
        `${detail}, without oom_kill`,
        'Kills in it show only in the kernel log. The counter exists since Linux 4.13.',
      )
    : ok('memory cgroup', detail);
}

function processes({ proc, isRoot = isRootHere() }: CapabilityContext): Capability {
  const pids = proc.pids();
  const denied = pids.filter((pid) => proc.read(`${pid}/stat`) === 'denied').length;
  // Every pid namespace has a 1, and only hidepid hides it.
  if (pids.includes(1) && denied === 0) {
    return ok('processes', `${pids.length} in ${proc.root}, kernel threads included`);
  }
  return partial(
    'processes',
    denied === 0 ? 'only our own are visible' : `${denied} of ${pids.length} cannot be read`,
    isRoot
      ? `${proc.root} is mounted with hidepid, and root of this container may not see the rest.`
      : `${proc.root} is mounted with hidepid: run the collector as root or as the browser’s user.`,
  );
}

// The browser's processes are what PSS is read of. Without one, any: and then some may well be out of
// reach, also for root (those of another user namespace, or whose program was protected).
function pss({ proc, sample, isRoot = isRootHere() }: CapabilityContext): Capability {
  if (typeof proc.read('self/smaps_rollup') !== 'number') {
    return no(
      'PSS',
      `no ${proc.root}/self/smaps_rollup`,
      `${withoutPss} It exists since Linux 4.14.`,
    );
  }
  const browsers = sample.processes.filter(({ browserPid }) => browserPid !== null);
  const others = sample.processes.filter(({ pid }) => pid !== process.pid);
  const judged = browsers.length > 0 ? browsers : others;
  const { readable, denied } = openRollups(
    proc,
    judged.map(({ pid }) => pid),
  );
  const whose = browsers.length > 0 ? 'of Chromium' : '(no Chromium is running)';
  const detail = `smaps_rollup of ${readable} of ${readable + denied} processes ${whose} can be read`;
  if (denied === 0 || (browsers.length === 0 && readable >= denied)) return ok('PSS', detail);
  const advice = isRoot
    ? `${withoutPss} Root needs CAP_SYS_PTRACE here, which containers often leave out.`
    : `${withoutPss} Run as root or as the browser’s user.`;
  return readable === 0 ? no('PSS', detail, advice) : partial('PSS', detail, advice);
}

const withoutPss =
  'Without it the split of shared memory between roles is unknown; RSS and anonymous memory are exact.';

// Permission is decided when it is opened, which costs next to nothing. Some end meanwhile.
function openRollups(proc: ProcFs, pids: readonly number[]): { readable: number; denied: number } {
  const outcomes = { readable: 0, denied: 0 };
  for (const pid of pids) {
    const opened = proc.open(`${pid}/smaps_rollup`);
    if (opened === 'denied') outcomes.denied++;
    if (typeof opened !== 'number') continue;
    proc.close(opened);
    outcomes.readable++;
  }
  return outcomes;
}

function pressure({ proc, sample }: CapabilityContext): Capability {
  const missing = ['memory', 'cpu', 'io'].find((name) => proc.text(`pressure/${name}`) === null);
  if (missing !== undefined) {
    return no(
      'pressure (PSI)',
      `no ${proc.root}/pressure/${missing}`,
      'Stalls show only in refaults. The kernel needs CONFIG_PSI, and psi=1 where it is off by default.',
    );
  }
  return bindingCgroup(sample)?.version === 1
    ? partial(
        'pressure (PSI)',
        'memory, cpu and io of the machine',
        'A cgroup of version 1 has none of its own: waiting inside of its limit may not show.',
      )
    : ok('pressure (PSI)', 'memory, cpu and io');
}

function kernelLog(context: CapabilityContext): Capability {
  const { proc, kmsgPath = '/dev/kmsg', isRoot = isRootHere() } = context;
  const log = new KmsgFile(kmsgPath, fs);
  log.next();
  const reason = log.unavailable;
  log.close();
  if (reason === null) return ok('kernel log', `${kmsgPath}, from its oldest record`);
  const isRestricted = reason === 'EPERM' && proc.text('sys/kernel/dmesg_restrict')?.trim() === '1';
  return no(
    'kernel log',
    `${kmsgPath}: ${reason}${isRestricted ? ' (kernel.dmesg_restrict is 1)' : ''}`,
    `OOM kills are known by the kernel’s counters only: how many, not which process. ${
      isRoot
        ? 'Run where the device is there and with CAP_SYSLOG, such as on the machine itself.'
        : 'Run as root, or with CAP_SYSLOG.'
    }`,
  );
}

function oomCounter({ proc }: CapabilityContext): Capability {
  const count = /^oom_kill (\d+)/m.exec(proc.text('vmstat') ?? '')?.[1];
  return count === undefined
    ? no(
        'OOM kill counter',
        `no oom_kill in ${proc.root}/vmstat`,
        'Kills without a record in the log cannot be counted. It exists since Linux 4.13.',
      )
    : ok('OOM kill counter', `${count} since boot`);
}

function processExits(context: CapabilityContext): Capability {
  const { exitsUnavailable, isRoot = isRootHere() } = context;
  return exitsUnavailable === null
    ? ok('process exits', 'exit code or signal of every process (process connector)')
    : no(
        'process exits',
        `process connector: ${exitsUnavailable}`,
        `Of processes that are no children of ours only the absence is recorded. Run ${
          isRoot ? '' : 'as root '
        }on the machine itself, with perl.`,
      );
}

function selfProtection({ protection, isRoot = isRootHere() }: CapabilityContext): Capability {
  const detail = protectionWords(protection);
  return isProtected(protection)
    ? ok('self-protection', detail)
    : partial(
        'self-protection',
        detail,
        `The recorder may be chosen by the OOM killer, or wait for a CPU, as any other process. ${
          isRoot
            ? 'Root needs CAP_SYS_RESOURCE and CAP_SYS_NICE for that, which containers often leave out.'
            : 'Run as root, or let the service manager set it (OOMScoreAdjust= and Nice= of systemd).'
        }`,
      );
}

function isRootHere(): boolean {
  return process.geteuid?.() === 0;
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
