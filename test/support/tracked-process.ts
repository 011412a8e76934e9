import type { TrackedProcess } from '../../src/collector/process-table.ts';
import { ProcessFiles } from '../../src/collector/procfs/process-files.ts';
import { FakeProc } from './fake-proc.ts';

const nowhere = new FakeProc();

/** A process between ticks, part of browser 10 unless told otherwise. Its files are not to be read. */
export function trackedProcess(
  parts: Partial<TrackedProcess> & Pick<TrackedProcess, 'pid' | 'role'>,
): TrackedProcess {
  const startTicks = parts.pid * 10;
  return {
    startTicks,
    parentPid: 1,
    ownRole: parts.role,
    browserPid: 10,
    files: new ProcessFiles(nowhere.procFs, parts.pid, { left: 0 }),
    stat: {
      pid: parts.pid,
      comm: 'chromium',
      state: 'S',
      parentPid: parts.parentPid ?? 1,
      isKernelThread: false,
      majorFaultCount: 0,
      cpuTicks: 0,
      threadCount: 1,
      startTicks,
      rssPages: 0,
    },
    executable: 'chromium',
    cmdline: null,
    commandComm: '',
    command: null,
    anonBytes: null,
    rssBytes: null,
    status: null,
    statusMonotonicMs: Number.NEGATIVE_INFINITY,
    statusReadAt: null,
    isTold: false,
    facts: null,
    lastPss: null,
    statm: null,
    idleCount: 0,
    commandDueTicks: null,
    pssFailedMonotonicMs: Number.NEGATIVE_INFINITY,
    ...parts,
  };
}
