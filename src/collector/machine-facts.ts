import os from 'node:os';
import type { MachineFacts } from '../model/session.ts';
import type { KernelUnits } from './procfs/machine-files.ts';
import type { ProcFs } from './procfs/proc-fs.ts';

type KernelFacts = Pick<MachineFacts, 'bootId' | 'kernel' | 'hostName' | 'cpuCount'>;

/** What is true of the machine as long as it is up. */
export function readKernelFacts(proc: ProcFs): KernelFacts {
  return {
    bootId: proc.text('sys/kernel/random/boot_id')?.trim() ?? null,
    kernel: os.release(),
    hostName: os.hostname(),
    cpuCount: os.cpus().length,
  };
}

// Entries of the auxiliary vector, uapi/linux/auxvec.h
const pageSizeEntry = 6n;
const clockTickEntry = 17n;

/**
 * Page size and USER_HZ, which /proc counts in, from the process's auxiliary vector (getauxval(3)).
 * Where that cannot be read: 4096 and 100, which is what Linux has on nearly all machines.
 */
export function readKernelUnits(proc: ProcFs): KernelUnits {
  const units: KernelUnits = { clockTicksPerSecond: 100, pageSizeBytes: 4096 };
  const length = proc.read('self/auxv');
  if (typeof length !== 'number' || os.endianness() !== 'LE') return units;
  for (let at = 0; at + 16 <= length; at += 16) {
    const value = Number(proc.buffer.readBigUInt64LE(at + 8));
    const entry = proc.buffer.readBigUInt64LE(at);
    if (entry === pageSizeEntry && value > 0) units.pageSizeBytes = value;
    if (entry === clockTickEntry && value > 0) units.clockTicksPerSecond = value;
  }
  return units;
}
