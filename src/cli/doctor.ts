import { type Capability, readCapabilities } from '../collector/capabilities.ts';
import { probeExits } from '../collector/exits/exit-probe.ts';
import { localSources } from '../collector/local-sources.ts';
import { readKernelUnits } from '../collector/machine-facts.ts';
import { ProcFs } from '../collector/procfs/proc-fs.ts';
import { Sampler } from '../collector/sampler.ts';
import { protectSelf } from '../collector/self-protection.ts';
import { HeadroomError } from '../model/errors.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { LimitSource, ProcessReading } from '../model/sample.ts';
import { sessionLimit } from '../model/session-memory.ts';
import { wrap } from '../report/text-layout.ts';
import { type DriverState, driverState } from '../store/driver-state.ts';
import { capabilityLines } from './capability-lines.ts';
import type { Command, CommandIo } from './command.ts';
import { UsageError } from './command.ts';
import { switchOption } from './parse-arguments.ts';
import { targetHelp } from './session/target.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: `What can be read on this machine, what cannot and why, and what a sample costs here; or what a session allows. ${targetHelp}`,
  usage: ['headroom doctor [TARGET] [--json]'],
  options: { json: { type: 'boolean', help: 'the same as JSON' } },
  examples: [
    'headroom doctor',
    'sudo headroom doctor',
    'headroom doctor --json | jq .cost',
    'headroom doctor kernel:ID                          # and what attach would put there, and why',
  ],
  async run(parsed, io) {
    const [target, other] = parsed.positionals;
    if (other !== undefined) throw new UsageError(`one TARGET only, not "${other}" as well`);
    if (target !== undefined) {
      const { sessionExamination } = await import('./doctor-session.ts');
      const isJson = switchOption(parsed, 'json');
      io.stdout.write(await sessionExamination(target, { io, columns: columnsOf(io), isJson }));
      return 0;
    }
    const examination = await examine();
    io.stdout.write(
      switchOption(parsed, 'json')
        ? `${JSON.stringify({ schemaVersion: 1, ...examination }, null, 2)}\n`
        : text(examination, columnsOf(io)),
    );
    return 0;
  },
};

interface Examination {
  capabilities: Capability[];
  limit: { bytes: number; source: LimitSource };
  /** Browsers that run now. */
  browsers: { pid: number; processCount: number }[];
  /** What recordings are opened with. */
  store: DriverState;
  cost: Cost;
}

interface Cost {
  processCount: number;
  /** CPU time of one sample, without PSS. */
  sampleCpuMs: number;
  /** CPU time of reading PSS of one process, on average; null when it could be read of none. */
  pssCpuMs: number | null;
  /** Of how many processes it was read for that: the browser's, where one runs. */
  pssProcessCount: number;
}

const rounds = 20;
const mostPssReadings = 20;

async function examine(): Promise<Examination> {
  if (process.platform !== 'linux') {
    throw new HeadroomError('MACHINE_UNREADABLE', 'this system has no /proc to examine', {
      hint: 'headroom record works here with its portable source: no PSS, no pressure, no OOM kills.',
    });
  }
  const proc = new ProcFs();
  const target = { rootPid: null, cgroup: null };
  const sources = { ...localSources(target, readKernelUnits(proc)), pssCpuShare: 0 };
  const sampler = new Sampler(sources);
  const schedule = { sequence: 1, intervalMs: 1000, dueMonotonicMs: 0, missedTickCount: 0 };
  const { sample } = sampler.take(schedule);
  const sampleCpuMs = cpuMs(() => {
    for (let round = 0; round < rounds; round++) sampler.take(schedule);
  });
  sampler.close();
  const exitsUnavailable = await probeExits();
  const protection = protectSelf();
  return {
    capabilities: readCapabilities({ proc, sample, exitsUnavailable, protection }),
    limit: sessionLimit(sample),
    browsers: browsersOf(sample.processes),
    store: driverState(),
    cost: {
      processCount: sample.processes.length,
      sampleCpuMs: sampleCpuMs / rounds,
      ...pssCost(proc, sample.processes),
    },
  };
}

function browsersOf(processes: readonly ProcessReading[]): Examination['browsers'] {
  const pids = new Set(processes.flatMap(({ browserPid }) => browserPid ?? []));
  return [...pids].map((pid) => ({
    pid,
    processCount: processes.filter(({ browserPid }) => browserPid === pid).length,
  }));
}

function pssCost(
  proc: ProcFs,
  processes: readonly ProcessReading[],
): Pick<Cost, 'pssCpuMs' | 'pssProcessCount'> {
  const browsers = processes.filter(({ browserPid }) => browserPid !== null);
  const chosen = (browsers.length > 0 ? browsers : processes).slice(0, mostPssReadings);
  let count = 0;
  const totalMs = cpuMs(() => {
    for (const { pid } of chosen) {
      if (typeof proc.read(`${pid}/smaps_rollup`) === 'number') count++;
    }
  });
  return { pssCpuMs: count === 0 ? null : totalMs / count, pssProcessCount: count };
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

// Narrower, the words would stand below each other.
const fewestColumns = 50;

function columnsOf({ stdout }: CommandIo): number {
  return Math.max(fewestColumns, (stdout.isTTY === true ? stdout.columns : undefined) ?? 80);
}

function text(examination: Examination, columns: number): string {
  const { capabilities, limit, browsers, store, cost } = examination;
  const found = browsers.map(
    ({ pid, processCount }) => `pid ${pid} with ${processCount} processes`,
  );
  const lines = [
    ...capabilityLines(capabilities, columns),
    '',
    ...wrap(limitText(limit), { columns, lead: 'limit    ' }),
    ...wrap(found.length === 0 ? 'none is running' : found.join(', '), {
      columns,
      lead: 'browser  ',
    }),
    ...wrap(storeText(store), { columns, lead: 'store    ' }),
    ...wrap(costText(cost), { columns, lead: 'cost     ' }),
  ];
  return `${lines.join('\n')}\n`;
}

function limitText({ bytes, source }: Examination['limit']): string {
  const whose = source === 'machine' ? 'machine' : 'memory cgroup';
  return `${formatBytes(bytes)}, of the ${whose}`;
}

function storeText({ driver, sqliteVersion, problem }: DriverState): string {
  return problem === null
    ? `SQLite ${sqliteVersion} through ${driver}`
    : `NO SQLite, so that no recording can be made or read: ${problem}`;
}

function costText({ processCount, sampleCpuMs, pssCpuMs, pssProcessCount }: Cost): string {
  const sample = `a sample of ${processCount} processes takes ${sampleCpuMs.toFixed(2)} ms of CPU`;
  if (pssCpuMs === null) return `${sample}; PSS cannot be read`;
  return `${sample}, and PSS ${pssCpuMs.toFixed(2)} ms for each process (mean of ${pssProcessCount}), which is spread so that it takes 1 % of a core at most`;
}
