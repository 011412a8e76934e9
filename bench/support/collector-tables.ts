import type { Contestant } from './contestants.ts';
import { round } from './figures.ts';
import { costPerProcessUs, type GrowthPoint } from './growth.ts';
import type { Result, Usage } from './race.ts';

export interface Table {
  title: string;
  /** The first row is the head. */
  rows: readonly (readonly string[])[];
}

const MiB = 2 ** 20;

/** Everybody's use, and how ours stands to it. */
export function usageTable(results: readonly Result[]): Table {
  const ours = usageOf(results, 'collector');
  const withPss = usageOf(results, 'collectorPss');
  const head = [
    'each at 1 s',
    'CPU ms/s, median',
    'mean',
    'collector / it',
    'with PSS / it',
    'RSS MiB',
    'anonymous MiB',
  ];
  const rows = results.map(({ name, usage }) => {
    if ('reason' in usage) return [name, 'missing', '-', '-', '-', '-', '-'];
    return [
      name,
      round(usage.medianCpuMs),
      round(usage.meanCpuMs),
      times(ours, usage, 'medianCpuMs'),
      times(withPss, usage, 'meanCpuMs'),
      round(usage.rssBytes / MiB),
      round(usage.anonBytes / MiB),
    ];
  });
  return { title: 'CPU time each second, children included', rows: [head, ...rows] };
}

interface RatioBudget {
  ours: Contestant['id'];
  peer: Contestant['id'];
  text: string;
  most: number;
  /** PSS is read in bursts, which the middle window does not show. */
  by: 'medianCpuMs' | 'meanCpuMs';
}

const ratioBudgets: readonly RatioBudget[] = [
  { ours: 'collector', peer: 'floor', text: '2.2 ×', most: 2.2, by: 'medianCpuMs' },
  { ours: 'collector', peer: 'nodeExporter', text: '1/5', most: 1 / 5, by: 'medianCpuMs' },
  {
    ours: 'collector',
    peer: 'processExporterNoSmaps',
    text: '1/25',
    most: 1 / 25,
    by: 'medianCpuMs',
  },
  { ours: 'collector', peer: 'systeminformation', text: '1/25', most: 1 / 25, by: 'medianCpuMs' },
  { ours: 'collector', peer: 'shellLoop', text: '1/25', most: 1 / 25, by: 'medianCpuMs' },
  { ours: 'collectorPss', peer: 'processExporter', text: '1/25', most: 1 / 25, by: 'meanCpuMs' },
];

const mostUsPerProcess = 12;

/** The promises, what was measured, and whether they are kept. */
export function budgetTable(results: readonly Result[], growth: readonly GrowthPoint[]): Table {
  const nameOf = new Map(results.map(({ id, name }) => [id, name]));
  const rows = ratioBudgets.map(({ ours, peer, text, most, by }) => {
    const [a, b] = [usageOf(results, ours), usageOf(results, peer)];
    const measured = a === null || b === null ? null : a[by] / b[by];
    return [
      `${nameOf.get(ours)} / ${nameOf.get(peer)}`,
      `≤ ${text}`,
      measured === null ? 'not measured' : ratio(measured),
      kept(measured, most),
    ];
  });
  const slopeUs = costPerProcessUs(growth);
  const from = growth[0]?.processCount;
  const to = growth.at(-1)?.processCount;
  rows.push([
    `one more process, a tick, from ${from} to ${to}`,
    `≤ ${mostUsPerProcess} µs`,
    `${round(slopeUs)} µs`,
    kept(slopeUs, mostUsPerProcess),
  ]);
  return { title: 'Budgets', rows: [['figure', 'budget', 'measured', 'met'], ...rows] };
}

/** One tick by number of processes, without a browser; the last column shows whether it stays a straight line. */
export function growthTable(points: readonly GrowthPoint[]): Table {
  const rows = points.map(({ processCount, collectorUs, floorUs }, at) => {
    const before = points[at - 1];
    const added = before === undefined ? 0 : processCount - before.processCount;
    return [
      String(processCount),
      round(collectorUs),
      floorUs === null ? '-' : round(floorUs),
      floorUs === null ? '-' : ratio(collectorUs / floorUs),
      before === undefined ? '-' : round((collectorUs - before.collectorUs) / added),
    ];
  });
  const head = [
    'processes',
    'collector µs a tick',
    'C program',
    'ratio',
    'µs for each one more than in the row above',
  ];
  return { title: 'One tick, by number of idle processes', rows: [head, ...rows] };
}

function usageOf(results: readonly Result[], id: Contestant['id']): Usage | null {
  const usage = results.find((result) => result.id === id)?.usage;
  return usage === undefined || 'reason' in usage ? null : usage;
}

function times(ours: Usage | null, peer: Usage, by: RatioBudget['by']): string {
  return ours === null ? '-' : ratio(ours[by] / peer[by]);
}

/** `2.1 ×`, or `1/27` when it is less than half. */
function ratio(value: number): string {
  return value < 0.5 ? `1/${round(1 / value)}` : `${round(value)} ×`;
}

function kept(measured: number | null, most: number): string {
  if (measured === null) return '-';
  return measured <= most ? 'yes' : 'NO';
}
