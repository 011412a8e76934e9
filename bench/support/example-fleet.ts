/**
 * The made-up recordings of docs/fleet.md, into a folder that is not there yet: eleven workloads, 36
 * sessions of each, on machines of 1 GiB and 8 GiB; two that fit into 1 GiB nowhere, one whose newest
 * version needs a third more, and a file that is torn. `npx tsx bench/support/example-fleet.ts recordings`
 */
import fs from 'node:fs';
import path from 'node:path';
import { fleetRecording } from '../../test/support/fleet-recordings.ts';

const sessionsEach = 36;
const samples = 20;
/** What a session of each needs in the middle, MiB. */
const workloads: Readonly<Record<string, number>> = {
  checkout: 410,
  crawl: 560,
  docs: 330,
  forms: 370,
  inbox: 450,
  invoices: 380,
  maps: 1540,
  news: 360,
  search: 375,
  shop: 440,
  video: 2330,
};
const smallMib = 978;
const largeMib = 7960;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder? example-fleet.ts FOLDER');
fs.mkdirSync(folder);
Object.entries(workloads).forEach(([workload, middleMib], place) => {
  const own = path.join(folder, workload);
  fs.mkdirSync(own);
  for (let at = 0; at < sessionsEach; at++) record(own, { workload, middleMib, place, at });
});
const torn = fs.readFileSync(path.join(folder, 'maps', '0000.db')).subarray(0, 30_000);
fs.writeFileSync(path.join(folder, 'maps', 'torn.db'), torn);

interface Session {
  workload: string;
  middleMib: number;
  /** Of the workload in the table. */
  place: number;
  at: number;
}

function record(own: string, { workload, middleMib, place, at }: Session): void {
  const version = at % 2 === 0 ? '1.1' : '1.2';
  const grown = workload === 'shop' && version === '1.2' ? 1.32 : 1;
  const peakMib = Math.round(middleMib * grown * spread(place * sessionsEach + at));
  // Large workloads were tried on a small machine as well; small ones are at home on both.
  const isSmall = middleMib > smallMib ? at % 18 === 6 : at % 3 !== 0;
  const machineMib = isSmall ? smallMib : largeMib;
  const mostMib = Math.min(peakMib, machineMib - 12);
  const isKilled = peakMib > machineMib;
  fleetRecording(path.join(own, `${String(at).padStart(4, '0')}.db`), {
    id: `${workload}-${at}`,
    labels: { workload, version },
    machineMib,
    usedMib: Array.from({ length: samples }, (_, second) =>
      Math.round(mostMib * (isKilled ? grownAt(second, samples) : usedAt(second))),
    ),
    isKilled,
    startHour: at * 4,
  });
}

/** Of its peak: to the end of a task it grows, then most of it is given back. */
function usedAt(second: number): number {
  const whole = samples * 0.6;
  return second < whole ? grownAt(second, whole) : 0.7;
}

function grownAt(second: number, length: number): number {
  return 0.55 + (0.45 * (second + 1)) / length;
}

/** From 0.83 to 1.2, evenly over a scale of logarithms, and the same with every run. */
function spread(number: number): number {
  const golden = 0.6180339887;
  return Math.exp(0.36 * (((number * golden) % 1) - 0.5));
}
