import { findSidecar, HostProcess } from '../collector/agentos/host-process.ts';
import { vmHandleOf } from '../collector/agentos/vm-handle.ts';
import { VmSampler } from '../collector/agentos/vm-sampler.ts';
import { VmWatch } from '../collector/agentos/vm-watch.ts';
import { localSources, locateCgroupOf } from '../collector/local-sources.ts';
import { readKernelFacts, readKernelUnits } from '../collector/machine-facts.ts';
import { ownCpuMs } from '../collector/own-cost.ts';
import { ProcFs } from '../collector/procfs/proc-fs.ts';
import { systemClock } from '../collector/sampler.ts';
import type { MachineFacts } from '../model/session.ts';
import { sessionLimit } from '../model/session-memory.ts';
import { headroomVersion } from '../model/version.ts';
import { StoreWriter } from '../store/writer.ts';
import { type AttachAgentOsOptions, attachOptions } from './attach-options.ts';
import { type AgentOsRecording, VmRecording } from './vm-recording.ts';

/**
 * Records a VM of @rivet-dev/agentos-core into a file, in the process that owns it: guest processes,
 * counters and limits of the VM, and memory and CPU of the sidecar that runs it (docs/agentos.md). `vm`
 * is what `AgentOs.create()` gave. Linux. Keeps no program alive, and ends with the VM. Errors:
 * AGENTOS_NOT_USABLE, MACHINE_UNREADABLE, those of a file that cannot be written, TypeError and
 * RangeError for options that make no sense.
 */
export function attachAgentOs(vm: object, options: AttachAgentOsOptions): AgentOsRecording {
  const { out, sessionId, intervalMs, labels, maxFileBytes } = attachOptions(options);
  const handle = vmHandleOf(vm);
  const proc = new ProcFs();
  const units = readKernelUnits(proc);
  const sidecarPid = handle.sidecar?.pid ?? findSidecar(proc, process.pid, units);
  const sidecar = sidecarPid === null ? null : HostProcess.open(proc, sidecarPid, units);
  const watch = new VmWatch(handle, {
    sidecar: sidecar === null ? null : { pid: sidecar.pid, startTicks: sidecar.startTicks },
    wallMs: systemClock.wallMs,
  });
  const sampler = new VmSampler({
    ...localSources({ rootPid: null, cgroup: locateCgroupOf(sidecar?.pid ?? 'self', proc) }, units),
    watch,
    sidecar,
    owner: HostProcess.open(proc, process.pid, units),
    cpuMs: ownCpuMs,
  });
  try {
    const facts = {
      id: sessionId,
      source: 'agentos',
      labels,
      startedUnixMs: systemClock.wallMs(),
      endedUnixMs: null,
      endReason: null,
      intervalMs,
      machine: machineFacts(proc, sampler),
      collectorVersion: headroomVersion,
    };
    const writer = StoreWriter.open(out, facts, { maxBytes: maxFileBytes });
    return new VmRecording({ sessionId, intervalMs, units, proc, watch, sampler, writer });
  } catch (error) {
    watch.close();
    sampler.close();
    throw error;
  }
}

function machineFacts(proc: ProcFs, sampler: VmSampler): MachineFacts {
  const memory = sampler.readMemory();
  const limit = sessionLimit(memory);
  return {
    ...readKernelFacts(proc),
    ...readKernelUnits(proc),
    memoryTotalBytes: memory.machine.totalBytes,
    limitBytes: limit.bytes,
    limitSource: limit.source,
    browserVersion: null,
    sampleSource: 'proc',
  };
}
