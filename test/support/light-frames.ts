import { FrameReader } from '../../src/collector/light/frame-reader.ts';
import type { LightHead } from '../../src/collector/light/light-head.ts';
import { LightReplay, type ReplayedSample } from '../../src/collector/light/light-replay.ts';

export const lightHead: LightHead = {
  format: 1,
  sampler: 'perl',
  sessionId: '3d1a2c9e-0c5c-4f6e-9a52-6f1b8f0f6f10',
  source: 'vm',
  intervalMs: 1_000,
  labels: { workload: 'café' },
  machine: {
    bootId: 'a-boot',
    kernel: '6.1.0',
    hostName: 'vm',
    cpuCount: 2,
    pageSizeBytes: 4_096,
    clockTicksPerSecond: 100,
  },
  cgroup: null,
  collectorVersion: '0.1.0',
};

/** One file of frames, as a sampler begins it. */
export function segmentText(head: LightHead = lightHead, pid = 70): string {
  // One character a byte, as the samplers write it.
  return Buffer.from(`\nH ${pid} ${JSON.stringify(head)}\n`).toString('latin1');
}

/** A frame as it is in the file; `header` is what stands between `F` and the end of that line. */
export function frameText(header: string, lines: readonly string[], ms = '4'): string {
  const body = lines.map((line) => `${line}\n`).join('');
  return `F ${header}\n${body}E ${header.split(' ', 1)[0]} ${body.length} ${ms}\n`;
}

export const machineLines = [
  'meminfo:MemTotal: 1048576 kB',
  'meminfo:MemFree: 400000 kB',
  'meminfo:MemAvailable: 600000 kB',
  'meminfo:Inactive(file): 150000 kB',
  'vmstat:pgmajfault 3',
  'vmstat:oom_kill 0',
  'stat:cpu 100 0 50 1000 5 0 0 0 0 0',
  'stat:btime 1790000000',
  'stat:processes 4000',
  'uptime:3000.00',
  'pressure/memory:some total=0',
  'pressure/cpu:some total=0',
  'pressure/io:some total=0',
];

/** A stat line as samplers tell it, up to the resident pages. */
export function statLine(
  pid: number,
  comm: string,
  figures: { start?: number; rss?: number } = {},
) {
  const { start = pid * 10, rss = 500 } = figures;
  const text = `${pid} (${comm}) S 1 1 1 0 -1 4194304 100 0 7 0 20 10 0 0 20 0 3 0 ${start} 4096000 ${rss}`;
  return text.split('\n').map((line) => `${pid}/stat:${line}`);
}

/** The samples of all frames in some bytes, of however many samplers. */
export async function samplesOf(bytes: Uint8Array): Promise<ReplayedSample[]> {
  const reader = new FrameReader();
  const samples: ReplayedSample[] = [];
  let replay: LightReplay | null = null;
  for (const { head, pid, frame } of reader.read(bytes)) {
    replay ??= LightReplay.start(head, { pid, first: frame });
    const sample = await replay?.take(frame, frame.isLast);
    if (sample != null) samples.push(sample);
  }
  return samples;
}

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
