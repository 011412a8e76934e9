import { formatBytes } from '../model/format-bytes.ts';
import type { Findings } from './findings.ts';
import { isMember } from './membership.ts';
import type { ProcessReport } from './processes.ts';
import type { VerdictKind } from './verdict.ts';

// A browser that ends leaves a dozen zombies for a second or two; more that stay are nobody's.
const manyZombies = 5;

/** What to do about the verdict, in the order of what helps most. */
export function adviceFor(kind: VerdictKind, findings: Findings): string[] {
  return [...forKind(kind, findings), ...forZombies(findings), ...forKernelLog(kind, findings)];
}

function forKind(kind: VerdictKind, findings: Findings): string[] {
  switch (kind) {
    case 'kernel_oom':
      return forKill(findings);
    case 'userspace_oom':
      return [
        `Give the machine more than ${formatBytes(findings.session.machine.memoryTotalBytes)}, or tell the daemon to leave the browser alone (earlyoom --avoid, ManagedOOMPreference= of systemd): the kernel then kills later.`,
      ];
    case 'pressure':
      return [
        `Give the session more than ${formatBytes(findings.memory.limitBytes)}, or keep fewer pages open at a time.`,
      ];
    case 'memory_stall':
      return [
        `Give the session more than ${formatBytes(findings.memory.limitBytes)}: its program's own pages had no room any more, and such a stall does not end by itself.`,
        'End and restart a browser that stands still: waiting for the OOM killer may take many minutes.',
      ];
    case 'v8_heap_limit':
      if (findings.agentOs !== null) {
        return [
          'Look for what the guest keeps, or give it more: limits.jsRuntime.v8HeapLimitMb of AgentOs.create(). A larger machine does not help.',
        ];
      }
      return [
        'Look for what the page keeps (heap snapshot), or reload it in time. A larger machine does not help; --js-flags=--max-old-space-size=MB raises the limit, up to 4 GB.',
      ];
    case 'chromium_oom':
      return [
        'Look for one huge buffer, image or canvas, and at RLIMIT_DATA (ulimit -d): more memory of the machine does not help as long as some was available.',
      ];
    case 'shm_full':
      return [
        'Give the container a larger /dev/shm (docker run --shm-size=1g), or start the browser with --disable-dev-shm-usage.',
      ];
    case 'crash':
      return [
        'Start the browser with --enable-logging=stderr and keep its output and crash dumps: they tell what crashed.',
      ];
    case 'killed':
      if (findings.agentOs?.end?.message?.endsWith('killing sidecar') === true) {
        return [
          'Look for what kept the sidecar from speaking (SIGSTOP, a frozen cgroup, a machine without CPU to spare): for that its own client killed it.',
        ];
      }
      return [
        'Look for the sender: a timeout of the test runner, a supervisor, or a user-space OOM daemon (systemd-oomd, earlyoom).',
      ];
    case 'healthy':
      return forHealthy(findings);
    default:
      return forUnknown(findings);
  }
}

function forKill(findings: Findings): string[] {
  const kills = findings.oomKills.filter((kill) => kill.inSession);
  const scopes = new Set(kills.map((kill) => kill.scope));
  if (
    scopes.size > 0 &&
    [...scopes].every((scope) => scope === 'cpuset' || scope === 'mempolicy')
  ) {
    return ['Allow the session more memory nodes: memory may have been free on the others.'];
  }
  const limitBytes = kills[0]?.limitBytes ?? findings.memory.limitBytes;
  const size = `Give the session more than ${formatBytes(limitBytes)}: it needs more, and how much more cannot be seen in a session that met its limit.`;
  const grower = findings.processes
    .filter((process) => kills.some((kill) => kill.process?.pid === process.pid))
    .find((process) => (process.growthBytesPerMinute ?? 0) > 0);
  return grower === undefined ? [size] : [size, forGrower(grower)];
}

function forGrower(process: ProcessReport): string {
  return `Look at what pid ${process.pid} (${process.role}) had open first: it grew by ${formatBytes(process.growthBytesPerMinute)} a minute.`;
}

function forHealthy({ agentOs, browser, growth, memory, part }: Findings): string[] {
  if (agentOs !== null) return [];
  if (browser.processesMax === 0) return ['Record while a browser runs to learn what it needs.'];
  if (part !== null) {
    return ['Report on the whole recording to learn whether the present size is enough.'];
  }
  if (memory.limitBytes === null) return [];
  if (growth.atEnd !== null) {
    return [
      `Look at what grew, or record to the end of the task: ${formatBytes(memory.limitBytes)} were enough for as long as this was recorded, and are no proven size for a session that still grows.`,
    ];
  }
  return [`The present size of ${formatBytes(memory.limitBytes)} fits this session.`];
}

function forUnknown({ deaths }: Findings): string[] {
  if (!deaths.some((death) => death.verdict === 'unknown')) return [];
  return [
    'Start the browser under "headroom record -- COMMAND" to have its exit recorded, and with --enable-logging (or with --enable-logging=stderr and stderr in a file): the recorder reads there what SIGTRAP does not tell.',
  ];
}

function forZombies({ processes }: Findings): string[] {
  const zombies = processes
    .filter(isMember)
    .filter((process) => process.isZombie && process.exit === null);
  if (zombies.length < manyZombies) return [];
  return [
    'Run the session under an init that waits for orphans (docker run --init, tini): each zombie holds a pid, though no memory.',
  ];
}

function forKernelLog(kind: VerdictKind, { isKernelLogRead, session }: Findings): string[] {
  const isHelpful = kind === 'kernel_oom' || kind === 'unknown' || kind === 'killed';
  if (isKernelLogRead || !isHelpful || session.machine.sampleSource === 'portable') return [];
  return ['Let the recorder read /dev/kmsg (root, or CAP_SYSLOG): the log names who was killed.'];
}
