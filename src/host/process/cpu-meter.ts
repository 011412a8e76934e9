import type { HostMachine, MachineProcess } from '../machine.ts';

interface Reading {
  startTicks: number;
  cpuTicks: number;
  atTicks: number;
}

// Shorter than that the clock ticks are too coarse to say anything.
const shortestSeconds = 0.25;
const mostKept = 10_000;

/** CPU use of processes between two questions; at the first one since the process began. */
export class CpuMeter {
  readonly #machine: Pick<HostMachine, 'nowTicks' | 'ticksPerSecond'>;
  readonly #last = new Map<number, Reading>();

  constructor(machine: Pick<HostMachine, 'nowTicks' | 'ticksPerSecond'>) {
    this.#machine = machine;
  }

  /** Percent of one core. */
  percent({ pid, startTicks, cpuTicks }: MachineProcess): number {
    const atTicks = this.#machine.nowTicks();
    const last = this.#last.get(pid);
    const isKnown = last?.startTicks === startTicks;
    const begin = isKnown ? last : { startTicks, cpuTicks: 0, atTicks: startTicks };
    const elapsed = atTicks - begin.atTicks;
    if (isKnown && elapsed < shortestSeconds * this.#machine.ticksPerSecond) {
      return percentOf(cpuTicks, atTicks - startTicks);
    }
    if (this.#last.size >= mostKept) this.#last.clear();
    this.#last.set(pid, { startTicks, cpuTicks, atTicks });
    return percentOf(cpuTicks - begin.cpuTicks, elapsed);
  }
}

function percentOf(ticks: number, elapsedTicks: number): number {
  return elapsedTicks <= 0 ? 0 : Math.round((1000 * ticks) / elapsedTicks) / 10;
}
