import { createRequire } from 'node:module';
import path from 'node:path';
import { lastLines, runQuietly } from '../../scripts/setup/run-command.mjs';
import { debianProgram, type Found } from './debian-program.ts';
import { freePort } from './scraper.ts';

/** One of those that are compared. */
export interface Contestant {
  id: keyof typeof names;
  name: string;
  command: readonly string[];
  /** Its metrics, asked for once a second; null for what runs by itself. */
  url: string | null;
}

/** One that cannot take part here. */
export interface Absentee {
  id: keyof typeof names;
  name: string;
  reason: string;
}

const names = {
  floor: 'C program, the same files',
  collector: 'collector, no PSS, no store',
  collectorPss: 'collector with PSS, no store',
  recorder: 'headroom record (PSS and store)',
  idleNode: 'a Node that only wakes up',
  nodeExporter: 'node_exporter',
  processExporter: 'process-exporter',
  processExporterNoSmaps: 'process-exporter -gather-smaps=false',
  systeminformation: 'systeminformation processes() + mem()',
  shellLoop: 'shell loop: ps | awk, date',
};

const support = import.meta.dirname;
const everySecondMs = 1_000;
const pssCpuShare = 0.01;

/** Everybody, ours first. `browserName` is what the kernel calls Chromium's processes. */
export async function contestants(
  folder: string,
  browserName: string,
): Promise<(Contestant | Absentee)[]> {
  const floor = await compileFloor(folder);
  const nodeExporter = await debianProgram('prometheus-node-exporter');
  const processExporter = await debianProgram('prometheus-process-exporter');
  const exporter = ['-procnames', browserName];
  const database = path.join(folder, 'bench.db');
  const main = 'dist/cli/headroom.cjs';
  const node = { path: process.execPath };
  const asking = path.join(support, 'systeminformation-loop.mjs');
  return [
    contestant('floor', floor, (program) => floorCommand(program, everySecondMs, browserName)),
    contestant('collector', node, () => collectorCommand(everySecondMs, 0)),
    contestant('collectorPss', node, () => collectorCommand(everySecondMs, pssCpuShare)),
    contestant('recorder', node, (node) => [
      node,
      main,
      'record',
      '--interval',
      '1s',
      '--quiet',
      '--out',
      database,
    ]),
    contestant('idleNode', node, (node) => [node, '-e', 'setInterval(() => undefined, 1000)']),
    await scraped('nodeExporter', nodeExporter, []),
    await scraped('processExporter', processExporter, exporter),
    await scraped('processExporterNoSmaps', processExporter, [...exporter, '-gather-smaps=false']),
    contestant('systeminformation', node, (node) => [node, asking]),
    contestant('shellLoop', { path: '/bin/sh' }, (shell) => [shell, '-c', shellLoop(browserName)]),
  ];
}

/** Our collector alone; a share of 0 reads no PSS. */
export function collectorCommand(intervalMs: number, cpuShare: number): string[] {
  const loop = path.join(support, 'collector-loop.mjs');
  return [process.execPath, loop, 'dist', String(intervalMs), String(cpuShare)];
}

export function floorCommand(program: string, intervalMs: number, browserName: string): string[] {
  return [program, String(intervalMs), '3600', browserName];
}

/** What was compared with, for the record. */
export async function peerVersions(peers: readonly (Contestant | Absentee)[]): Promise<string[]> {
  const { version } = createRequire(import.meta.url)('systeminformation/package.json');
  const versions = [`systeminformation ${version}`];
  for (const peer of peers) {
    if (!('command' in peer) || peer.url === null || peer.id === 'processExporterNoSmaps') continue;
    const { output } = await runQuietly(peer.command[0] ?? '', ['--version']);
    // Debian's builds tell the version of the package as the revision.
    versions.push(`${peer.name} ${/revision: ([^)\s]+)/.exec(output)?.[1] ?? 'unknown'}`);
  }
  return versions;
}

async function compileFloor(folder: string): Promise<Found> {
  const program = path.join(folder, 'floor');
  const source = path.join(support, '../floor/floor.c');
  const { code, output } = await runQuietly('cc', ['-O2', '-Wall', '-o', program, source]);
  if (code === 127) return { reason: 'no C compiler (cc)' };
  return code === 0 ? { path: program } : { reason: `cc: ${lastLines(output, 1)}` };
}

/** The loop that this project replaces, at 1 s instead of 10. */
function shellLoop(browserName: string): string {
  const sum = `ps -C ${browserName} -o rss= | awk '{s+=$1} END {print s}'`;
  return `while :; do ${sum}; date; sleep 1; done`;
}

async function scraped(
  id: Contestant['id'],
  found: Found,
  args: readonly string[],
): Promise<Contestant | Absentee> {
  const address = `127.0.0.1:${await freePort()}`;
  const peer = contestant(id, found, (program) => [
    program,
    `--web.listen-address=${address}`,
    ...args,
  ]);
  return 'command' in peer ? { ...peer, url: `http://${address}/metrics` } : peer;
}

function contestant(
  id: Contestant['id'],
  found: Found,
  command: (program: string) => readonly string[],
): Contestant | Absentee {
  const name = names[id];
  if ('reason' in found) return { id, name, reason: found.reason };
  return { id, name, command: command(found.path), url: null };
}
