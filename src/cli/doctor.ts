import { type Capability, readCapabilities } from '../collector/capabilities.ts';
import { localSources } from '../collector/local-sources.ts';
import { readKernelUnits } from '../collector/machine-facts.ts';
import { ProcFs } from '../collector/procfs/proc-fs.ts';
import { Sampler } from '../collector/sampler.ts';
import { HeadroomError } from '../model/errors.ts';
import { sessionLimit } from '../model/session-memory.ts';
import type { Command } from './command.ts';
import { UsageError } from './command.ts';
import { switchOption } from './parse-arguments.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'What can be read on this machine, what cannot and why, and what a sample costs here.',
  usage: ['headroom doctor [--json]'],
  options: { json: { type: 'boolean', help: 'the same as JSON' } },
  examples: ['headroom doctor', 'sudo headroom doctor', 'headroom doctor --json | jq .cost'],
  async run(parsed, io) {
    if (parsed.positionals.length > 0) {
      throw new UsageError(`only this machine can be examined, not "${parsed.positionals[0]}"`);
    }
    const examination = examine();
    io.stdout.write(
      switchOption(parsed, 'json')
        ? `${JSON.stringify({ schemaVersion: 1, ...examination }, null, 2)}\n`
        : text(examination),
    );
    return 0;
  },
};

interface Examination {
  capabilities: Capability[];
  limit: { bytes: number; source: string };
  /** Chromium processes by role, as they are now. */
  browsers: { pid: number; processCount: number }[];
  cost: { processCount: number; sampleCpuMs: number; firstSampleMs: number };
}

const rounds = 20;

function examine(): Examination {
  if (process.platform !== 'linux') {
    throw new HeadroomError('MACHINE_UNREADABLE', 'this system has no /proc to examine', {
      hint: 'headroom record works here with its portable source: no PSS, no pressure, no OOM kills.',
    });
  }
  const proc = new ProcFs();
  const sampler = new Sampler(localSources({ rootPid: null, cgroup: null }, readKernelUnits(proc)));
  const schedule = { intervalMs: 1000, latenessMs: 0, missedTickCount: 0 };
  const { sample } = sampler.take({ ...schedule, sequence: 1 });
  // The second one still reads what the PSS budget had saved up.
  sampler.take({ ...schedule, sequence: 2 });
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) sampler.take({ ...schedule, sequence: 3 + round });
  const used = process.cpuUsage(before);
  sampler.close();
  const browserPids = new Set(sample.processes.flatMap(({ browserPid }) => browserPid ?? []));
  return {
    capabilities: readCapabilities(proc),
    limit: sessionLimit(sample),
    browsers: [...browserPids].map((pid) => ({
      pid,
      processCount: sample.processes.filter(({ browserPid }) => browserPid === pid).length,
    })),
    cost: {
      processCount: sample.processes.length,
      sampleCpuMs: (used.user + used.system) / 1000 / rounds,
      firstSampleMs: sample.collector.readMs,
    },
  };
}

const marks = { ok: 'ok', partial: 'part', no: 'NO' } as const;

function text({ capabilities, limit, browsers, cost }: Examination): string {
  const width = Math.max(...capabilities.map(({ name }) => name.length));
  const lines = capabilities.flatMap(({ name, status, detail, consequence }) => [
    `${marks[status].padEnd(4)}  ${name.padEnd(width)}  ${detail}`,
    ...(consequence === null ? [] : [`      ${' '.repeat(width)}  ${consequence}`]),
  ]);
  const found = browsers.map(
    ({ pid, processCount }) => `pid ${pid} with ${processCount} processes`,
  );
  return [
    ...lines,
    '',
    `limit    ${Math.round(limit.bytes / 2 ** 20)} MiB, set by: ${limit.source}`,
    `browser  ${found.length === 0 ? 'none is running' : found.join(', ')}`,
    `cost     ${cost.sampleCpuMs.toFixed(2)} ms of CPU a sample for ${cost.processCount} processes, without PSS, which takes at most 1 % of a core`,
    '',
  ].join('\n');
}
