import type { AgentOsReport, CounterReport, GuestReport } from '../analysis/agentos.ts';
import { guestEnd, lossClause, warningWords } from '../analysis/agentos-wording.ts';
import { formatCount, formatInstant } from '../analysis/format.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { printable } from './printable.ts';
import { type Line, wrap } from './text-layout.ts';

const mostGuests = 20;
const mostWarnings = 10;

/** The VM of agentOS that was recorded: its sidecar, its guests as a tree, its limits. */
export function agentOsLines({ agentOs }: SessionReport, columns: number): Line[] {
  if (agentOs === null) return [];
  const prose = [...sidecarWords(agentOs), ...endWords(agentOs)];
  const counters = agentOs.counters.map(counterWords).join(', ');
  const guests = guestTree(agentOs.guests);
  const warnings = agentOs.limitWarnings
    .slice(0, mostWarnings)
    .map((warning) => `${formatInstant(warning.timeUnixMs)}  limit ${warningWords(warning)}`);
  if (agentOs.limitWarnings.length > mostWarnings) {
    warnings.push(`${agentOs.limitWarnings.length - mostWarnings} more warnings`);
  }
  const wrapped = [...prose, ...(counters === '' ? [] : [`at most ${counters}`]), ...warnings];
  return [
    { text: `VM ${printable(agentOs.vmId)} of agentOS`, tone: 'heading' },
    ...wrapped.flatMap((entry) => wrap(printable(entry), { columns, lead: '  ' })).map(plain),
    ...guests.slice(0, mostGuests).map((row) => plain(`  ${row}`)),
    ...(guests.length > mostGuests ? [plain(`  ${guests.length - mostGuests} more guests`)] : []),
  ];
}

function plain(text: string): Line {
  return { text };
}

function sidecarWords({ sidecar }: AgentOsReport): string[] {
  const { pid, vmsMax, rssMaxBytes, peakRssBytes, cpuSeconds, threadsMax, v8SessionsMax } = sidecar;
  const cpu = cpuSeconds === null ? 'unknown' : `${cpuSeconds.toFixed(1)} s`;
  const figures = `sidecar pid ${pid ?? 'unknown'}: ${formatBytes(rssMaxBytes)} resident at most (peak of its life ${formatBytes(peakRssBytes)}), CPU ${cpu}, at most ${threadsMax ?? 'unknown'} threads and ${v8SessionsMax === null ? 'unknown V8 sessions' : formatCount(v8SessionsMax, 'V8 session')}`;
  if (vmsMax === null || vmsMax <= 1) return [figures];
  const shared = `This sidecar was shared by ${vmsMax} VMs: its memory and CPU are those of all of them, and what this VM takes is not known.`;
  return [figures, shared];
}

function endWords(report: AgentOsReport): string[] {
  const { end, vmId } = report;
  if (end === null) return [];
  if (end.how === 'disposed')
    return [`${vmId} was disposed of at ${formatInstant(end.timeUnixMs)}`];
  return [lossClause(report) ?? ''];
}

const counterNames: Readonly<Record<CounterReport['name'], [string, string]>> = {
  processes: ['process', 'processes'],
  descriptors: ['descriptor', 'descriptors'],
  pipes: ['pipe', 'pipes'],
  terminals: ['terminal', 'terminals'],
  sockets: ['socket', 'sockets'],
  connections: ['connection', 'connections'],
  fileBytes: ['', ''],
  inodes: ['inode', 'inodes'],
};

function counterWords({ name, max, limit }: CounterReport): string {
  if (name === 'fileBytes') {
    return `${formatBytes(max)} of files${limit === null ? '' : ` (limit ${formatBytes(limit)})`}`;
  }
  const what = formatCount(max, ...counterNames[name]);
  return limit === null ? what : `${what} (limit ${limit})`;
}

/** Each below who started it, as its id says: an orphan stays where it came from. */
function guestTree(guests: readonly GuestReport[]): string[] {
  const ids = new Map(guests.map((guest, index) => [guest.processId, index]));
  const path = ({ processId }: GuestReport) => {
    const parts = processId.split('/');
    return parts.map((_, at) => ids.get(parts.slice(0, at + 1).join('/')) ?? -1);
  };
  return guests
    .map((guest) => ({ guest, path: path(guest) }))
    .toSorted((a, b) => comparePaths(a.path, b.path))
    .map(({ guest }) => guestRow(guest));
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function guestRow(guest: GuestReport): string {
  const pid = guest.pid === null ? '?' : String(guest.pid);
  const name = `${'  '.repeat(guest.depth)}${guest.command ?? '(command unknown)'}`;
  const orphan = guest.depth > 0 && guest.parentPid === 0 ? 'orphaned, ' : '';
  return `${pid.padStart(5)}  ${printable(name).padEnd(24)}  ${orphan}${guestEnd(guest) ?? guest.state}`;
}
