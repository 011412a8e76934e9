/**
 * Real kills by the kernel while `headroom record` runs at its default interval: each is to be
 * recorded with its pid, role and size, and the last sample before it is to be 0.3 s old at most.
 * KILLS says how many; they take about a second each. Needs root.
 */
import { recordKills, type SeenKill } from '../test/support/kill-series.ts';
import { printFigures, printTable, round } from './support/figures.ts';

const kills = await recordKills(Number(process.env['KILLS'] ?? 200));
const distancesMs = kills
  .map(({ lastSampleMs }) => lastSampleMs ?? Number.POSITIVE_INFINITY)
  .sort((a, b) => a - b);

printTable(`${kills.length} kills`, [
  ['recorded', 'count'],
  ['with the pid of the kernel’s line', count(({ recorded }) => recorded !== null)],
  ['with the role renderer', count(({ role }) => role === 'renderer')],
  ['with an RSS within 5 % of the kernel’s', count(isOfRightSize)],
  ['in a sample at most 0.3 s before', count(({ lastSampleMs }) => (lastSampleMs ?? 1e9) <= 300)],
]);
printFigures('From the last sample with the victim alive to its kill', [
  { name: 'median', unit: 'ms', measured: percentile(0.5), budget: 300 },
  { name: 'p95', unit: 'ms', measured: percentile(0.95), budget: 300 },
  { name: 'largest', unit: 'ms', measured: percentile(1), budget: 300 },
]);
const sampleCounts = kills.map(({ sampleCount }) => sampleCount).sort((a, b) => a - b);
process.stdout.write(
  `\nEach victim is in ${sampleCounts[0]} to ${sampleCounts.at(-1)} samples; all distances, ms:\n` +
    `${distancesMs.map(round).join(' ')}\n`,
);
if (percentile(1) > 300) process.stdout.write('MISSED: not every last sample is within 0.3 s\n');

function count(isSo: (kill: SeenKill) => boolean): string {
  return String(kills.filter(isSo).length);
}

function isOfRightSize({ inKernelLog, recorded }: SeenKill): boolean {
  const difference = Math.abs((recorded?.rssBytes ?? 0) - inKernelLog.rssBytes);
  return difference <= 0.05 * inKernelLog.rssBytes;
}

// Nearest rank.
function percentile(share: number): number {
  return distancesMs[Math.max(0, Math.ceil(share * distancesMs.length) - 1)] ?? Number.NaN;
}
