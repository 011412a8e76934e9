import type { MachineActivity } from '../../model/sample.ts';
import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({ forks: 'processes ' });

export type CpuActivity = Pick<
  MachineActivity,
  'cpuUserMs' | 'cpuSystemMs' | 'cpuIdleMs' | 'cpuIowaitMs' | 'cpuStealMs' | 'forkCount'
>;

/**
 * `/proc/stat` (proc_stat(5)): the first line is the sum over all CPUs, in clock ticks; `processes`
 * counts forks. User time includes nice, system time includes interrupts.
 */
export function parseMachineStat(buffer: Buffer, length: number, tickMs: number): CpuActivity {
  const end = buffer.subarray(0, length).indexOf(10);
  const [name, ...fields] = buffer
    .toString('latin1', 0, end < 0 ? length : end)
    .split(' ')
    .filter((field) => field !== '');
  const ticks = name === 'cpu' ? fields.map(Number) : [];
  return {
    cpuUserMs: ms(tickMs, ticks[0], ticks[1]),
    cpuSystemMs: ms(tickMs, ticks[2], ticks[5], ticks[6]),
    cpuIdleMs: ms(tickMs, ticks[3]),
    cpuIowaitMs: ms(tickMs, ticks[4]),
    cpuStealMs: ms(tickMs, ticks[7]),
    forkCount: parser.parse(buffer, length).forks,
  };
}

function ms(tickMs: number, ...ticks: (number | undefined)[]): number | null {
  let sum = 0;
  for (const count of ticks) {
    if (count === undefined || !Number.isSafeInteger(count)) return null;
    sum += count * tickMs;
  }
  return sum;
}
