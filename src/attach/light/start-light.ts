import type { LightHead } from '../../collector/light/light-head.ts';
import type { CollectorRequest } from '../collector-state.ts';
import { collectorFailure, runScript, type SessionCollector } from '../session-collector.ts';
import { prepareScript } from '../session-scripts.ts';
import { lightHead } from './light-head-of.ts';
import { startLightScript } from './light-scripts.ts';
import { perlSampler } from './perl-sampler.ts';
import { cgroupFiles, type SessionFactsThere } from './session-facts.ts';
import { shellSampler } from './shell-sampler.ts';

/** Frames take at most so much of the session's disk, or of its memory where that is its /tmp. */
const mostBytes = 32 * 2 ** 20;
const usualOpenFiles = 1_024;
const mostOpenFiles = 4_096;

// Numbers of clock_gettime and madvise for 64-bit programs (uapi/asm/unistd.h). Without the first the
// clocks are read from files, without the other perl keeps what it needed to compile.
const systemCalls: Readonly<Record<string, { clock: number; advise: number }>> = {
  x86_64: { clock: 228, advise: 28 },
  aarch64: { clock: 113, advise: 233 },
  riscv64: { clock: 113, advise: 233 },
};

/**
 * Puts the best light sampler that a session can run into it and starts it: perl, else bash or busybox,
 * else sh. Nothing happens where one runs. Gives in words which one it is. COLLECTOR_FAILED.
 */
export async function startLight(
  collector: SessionCollector,
  request: CollectorRequest,
  facts: SessionFactsThere,
): Promise<string> {
  const { session, files, folder } = collector;
  const { name, program, sampler } = bestSampler(facts);
  const path = files.light[sampler];
  await runScript(session, [prepareScript]);
  await collector.note(request);
  const script = sampler === 'perl' ? perlSampler : shellSampler;
  await session.writeFile(path, Buffer.from(script));
  const head = JSON.stringify(lightHead(request, facts, sampler));
  await session.writeFile(files.light.head, Buffer.from(`${head}\n`));
  const read = cgroupFiles(facts.cgroup).map((file) => `${file}\n`);
  await session.writeFile(files.light.files, Buffer.from(read.join('')));
  const { clock, advise } = systemCalls[facts.arch] ?? { clock: 0, advise: 0 };
  const openFiles = Math.min(facts.openFiles ?? usualOpenFiles, mostOpenFiles);
  await runScript(session, [
    startLightScript,
    folder,
    ...program,
    path,
    folder,
    String(request.intervalMs / 1000),
    String(clock),
    String(openFiles),
    String(mostBytes),
    String(advise),
  ]);
  // What it says itself, and whether it lives, is asked by whoever waits for its first sample.
  const problem = (await collector.pid()) === null ? await collector.problem() : null;
  if (problem !== null) throw collectorFailure(session, problem);
  return name;
}

/** What of a session's programs the sampler is run by, the best first. */
export function bestSampler({ programs: { perl, bash, busybox } }: SessionFactsThere): {
  name: string;
  program: readonly string[];
  sampler: LightHead['sampler'];
} {
  if (perl !== null) return { name: 'perl', program: [perl], sampler: 'perl' };
  if (bash !== null) return { name: 'bash and grep', program: [bash], sampler: 'shell' };
  if (busybox !== null) return { name: 'busybox', program: [busybox, 'sh'], sampler: 'shell' };
  return { name: 'sh and grep', program: ['sh'], sampler: 'shell' };
}
