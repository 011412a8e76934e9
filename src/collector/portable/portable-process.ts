import type { ProcessReading } from '../../model/sample.ts';
import type { TreeNode } from '../chromium/browser-tree.ts';
import { roleOfCommand } from '../chromium/command-line.ts';
import { safeCommand } from '../chromium/safe-command.ts';
import type { EndedProcess } from '../process-table.ts';
import type { LibraryProcess, LibraryUsage } from './portable-libraries.ts';

/** The unit of `startTicks` without /proc: hundredths of a second, since 1970. */
export const portableTicksPerSecond = 100;

// `ps` tells ages in whole seconds, so the start that follows from them moves by one.
const sameStartMs = 2_000;

/** A process between ticks. */
export interface PortableProcess extends TreeNode {
  /** As it follows from the age at the last tick. */
  startUnixMs: number;
  comm: string;
  executable: string | null;
  /** With all its secrets: only to see whether it changed. */
  cmdline: string;
  command: string | null;
  state: string;
  rssBytes: number | null;
  cpuMs: number;
}

export type ListedProcess = LibraryProcess & { usage: LibraryUsage };

export interface CommandOptions {
  /** Whether command lines are recorded, without credentials; default true. */
  storesCommands?: boolean | undefined;
}

/** Follows the processes by pid and start from tick to tick; gives those that ended. */
export function updateProcesses(
  table: Map<number, PortableProcess>,
  listed: readonly ListedProcess[],
  options: CommandOptions,
): EndedProcess[] {
  const before = new Map(table);
  const safe = options.storesCommands === false ? () => null : safeCommand;
  table.clear();
  for (const process of listed) {
    const known = before.get(process.pid);
    const startUnixMs = process.usage.timestamp - process.usage.elapsed;
    const isSame = known !== undefined && Math.abs(startUnixMs - known.startUnixMs) < sameStartMs;
    if (isSame) before.delete(process.pid);
    table.set(process.pid, {
      ...(isSame ? known : joined(process.pid, startUnixMs)),
      ...described(process, (cmdline) =>
        isSame && known.cmdline === cmdline ? known.command : safe(cmdline),
      ),
      startUnixMs,
    });
  }
  return [...before.values()];
}

/** A row of the sample; what only /proc tells is null. */
export function toReading(process: PortableProcess): ProcessReading {
  return {
    pid: process.pid,
    startTicks: process.startTicks,
    parentPid: process.parentPid,
    comm: process.comm,
    executable: process.executable,
    role: process.role,
    browserPid: process.browserPid,
    state: process.state,
    rssBytes: process.rssBytes,
    anonBytes: null,
    shmemBytes: null,
    pssBytes: null,
    pssAnonBytes: null,
    pssShmemBytes: null,
    swapBytes: null,
    pssEstimatedBytes: null,
    peakRssBytes: null,
    cpuMs: process.cpuMs,
    threadCount: null,
    majorFaultCount: null,
    command: process.command,
    oomScoreAdj: null,
    cgroup: null,
    descriptorCount: null,
    readBytes: null,
    writtenBytes: null,
  };
}

function joined(
  pid: number,
  startUnixMs: number,
): Pick<PortableProcess, 'pid' | 'startTicks' | 'role' | 'browserPid'> {
  const startTicks = Math.round((startUnixMs * portableTicksPerSecond) / 1000);
  return { pid, startTicks, role: 'other', browserPid: null };
}

function described(
  { parentPid, path, command, params, state, usage }: ListedProcess,
  commandOf: (cmdline: string) => string | null,
): Omit<PortableProcess, 'pid' | 'startTicks' | 'role' | 'browserPid' | 'startUnixMs'> {
  const name = programName(path, command);
  const executable = path === '' ? null : name;
  const cmdline = `${path === '' ? '' : `${path}/`}${command} ${params}`.trim();
  return {
    parentPid,
    comm: name.slice(0, 15),
    executable,
    cmdline,
    command: commandOf(cmdline),
    ownRole: roleOfCommand({ cmdline, executable, comm: name }),
    state: stateLetters[state] ?? '?',
    rssBytes: state === 'zombie' ? null : usage.memory,
    cpuMs: Math.round(usage.ctime),
  };
}

/**
 * The program without its arguments, which may hold secrets. The library cuts at the first ` -` or
 * ` /`; what else follows a blank is part of the name only in an application of macOS.
 */
function programName(path: string, command: string): string {
  return path.includes('.app/') ? command : (command.split(' ', 1)[0] ?? '');
}

/** The words of systeminformation as the letters of /proc. */
const stateLetters: Readonly<Record<string, string>> = {
  running: 'R',
  sleeping: 'S',
  blocked: 'D',
  stopped: 'T',
  zombie: 'Z',
  dead: 'X',
  paging: 'W',
};
