import { formatBytes } from '../model/format-bytes.ts';
import type { Findings } from './findings.ts';
import {
  formatCount,
  formatDistance,
  formatDuration,
  formatInstant,
  formatRatio,
} from './format.ts';
import { endGrowthWords } from './growth-wording.ts';
import { isMember } from './membership.ts';
import { isOutside, type OomKillReport } from './oom-kills.ts';
import { outsideWords, victim } from './oom-wording.ts';
import { outsideLines } from './part-wording.ts';
import { hasEnded } from './processes.ts';
import { stallWords } from './stall.ts';

const mostKillLines = 8;
// Above it the pages of the browser's program make no difference.
const shortRatio = 0.25;

/** What the verdict stands on, most telling first: one fact a line, with its source. */
export function evidenceFor(findings: Findings): string[] {
  return [
    ...(findings.part === null ? [] : outsideLines(findings.part)),
    ...killLines(findings),
    ...counterLines(findings),
    ...deathLines(findings),
    ...findings.stalls.map(stallWords),
    ...leadLines(findings),
    ...memoryLines(findings),
    ...growthLines(findings),
    ...rendererLines(findings),
    ...zombieLines(findings),
    ...coverageLines(findings),
  ];
}

function killLines({ oomKills, oomKillsBeforeStart }: Findings): string[] {
  const kills = oomKills.filter((kill) => !isOutside(kill));
  const lines = kills.slice(0, mostKillLines).map(killLine);
  const more = kills.length - lines.length;
  if (more > 0) lines.push(`${formatCount(more, 'more OOM kill')} in the kernel log`);
  const outside = oomKills.length - kills.length;
  if (outside > 0) lines.push(outsideWords(outside));
  const before = oomKillsBeforeStart.length;
  if (before > 0) {
    lines.push(
      `${formatCount(before, 'OOM kill')} in the kernel log from before the recording, not counted`,
    );
  }
  return lines;
}

function killLine(kill: OomKillReport): string {
  const source = kill.evidence.join(', ');
  if (kill.attribution === 'none') {
    return `${source}: kill of ${victim(kill)} is tied to no process here and may belong to another container`;
  }
  const how =
    kill.attribution === 'inferred'
      ? `, known by name, size and time (kernel pid ${kill.pid} is not its pid here)`
      : '';
  return `${source}: kill of ${victim(kill)}, scope ${kill.scope}${how}${partWords(kill)}`;
}

/** A kill in a group, and one of whose report the kernel printed a part only. */
function partWords({ context, oomGroup }: OomKillReport): string {
  const group = oomGroup === null ? '' : `, with all of its cgroup ${oomGroup}`;
  if (context === 'full' || context === 'telemetry') return group;
  const line = context === 'kill_line_only' ? 'its kill line' : 'its summary line';
  return `${group}, of which the log has ${line} only (the kernel prints ten reports in 5 s)`;
}

function counterLines({ oomCounts }: Findings): string[] {
  const { machine, cgroup, recorded, withoutRecord } = oomCounts;
  if (withoutRecord === 0) return [];
  const kills = formatCount(withoutRecord, recorded > 0 ? 'more OOM kill' : 'OOM kill');
  const whose = machine === null ? 'in this memory cgroup' : 'on this kernel';
  const share =
    machine === null || cgroup === null
      ? []
      : [`${formatCount(cgroup, 'OOM kill')} in this session's memory cgroup (counter)`];
  return [`${kills} ${whose} without a record (counter)`, ...share];
}

function deathLines({ deaths }: Findings): string[] {
  return deaths
    .filter((death) => death.verdict !== 'kernel_oom' || death.certainty === 'inferred')
    .map((death) => {
      const who = `${death.role === 'other' ? death.comm : death.role} pid ${death.pid}`;
      return `${who} ended at ${formatInstant(death.timeUnixMs)}: ${death.evidence.join(', ')}`;
    });
}

// One OOM kill may be of several processes, a few ms apart.
function leadLines({ leads }: Findings): string[] {
  const lines = new Map<string, string>();
  for (const { of, timeUnixMs, warnedUnixMs } of leads) {
    const what = `${of === 'kernel_oom' ? 'the kill' : 'the stall'} at ${formatInstant(timeUnixMs)}`;
    if (lines.has(what)) continue;
    const line =
      warnedUnixMs === null
        ? `no warning came before ${what}`
        : `a warning at ${formatInstant(warnedUnixMs)} was ${formatDistance(warnedUnixMs, timeUnixMs)} ahead of ${what}`;
    lines.set(what, line);
  }
  return [...lines.values()].slice(0, mostKillLines);
}

function memoryLines(findings: Findings): string[] {
  const { memory, pressure, usableHeadroom } = findings;
  const lines: string[] = [];
  if (memory.headroomMinRatio !== null) {
    lines.push(
      `lowest headroom ${formatBytes(memory.headroomMinBytes)} (${formatRatio(memory.headroomMinRatio)}) at ${formatInstant(memory.headroomMinUnixMs)}`,
    );
  }
  const isShort = (memory.headroomMinRatio ?? 1) < shortRatio;
  if (isShort && usableHeadroom !== null && usableHeadroom.notUsableBytes > 0) {
    const { unusedBytes, usableBytes, notUsableBytes } = usableHeadroom;
    lines.push(
      `then ${formatBytes(unusedBytes)} was left with file cache counted as free, and about ${formatBytes(usableBytes)} of it could be used: ${formatBytes(notUsableBytes)} held the program that the browser runs on (estimated by PSS)`,
    );
  }
  if (pressure.memoryFullRatioMax !== null) {
    lines.push(
      `memory pressure (PSI full) at most ${formatRatio(pressure.memoryFullRatioMax)} of 10 s`,
    );
  }
  return lines;
}

function growthLines({ growth, warnings }: Findings): string[] {
  if (growth.atEnd === null) return [];
  const warning = warnings.at(-1);
  return [
    `memory that cannot be given back grew ${endGrowthWords(growth.atEnd)}`,
    ...(warning === undefined
      ? []
      : [`a warning would have been given from ${formatInstant(warning.fromUnixMs)} on`]),
  ];
}

function rendererLines({ deaths, oomCounts, processes }: Findings): string[] {
  const dead = new Set(deaths.map((death) => death.pid));
  const ended = processes
    .filter(isMember)
    .filter(
      (process) => process.role === 'renderer' && hasEnded(process) && !dead.has(process.pid),
    );
  if (ended.length === 0) return [];
  const renderers = formatCount(ended.length, 'renderer');
  return (oomCounts.withoutRecord ?? 0) > 0
    ? [`${renderers} ended, by an OOM kill without a record or as when a tab is closed`]
    : [`${renderers} ended with no OOM kill known of it, as when a tab is closed`];
}

function zombieLines({ processes }: Findings): string[] {
  const parents = new Map<number, number>();
  for (const process of processes.filter(isMember)) {
    if (!process.isZombie || process.exit !== null) continue;
    parents.set(process.parentPid, (parents.get(process.parentPid) ?? 0) + 1);
  }
  return [...parents].map(
    ([parent, count]) =>
      `${formatCount(count, 'zombie process', 'zombie processes')} not waited for by pid ${parent}`,
  );
}

function coverageLines(findings: Findings): string[] {
  const { coverage } = findings;
  const lines = kernelLogLines(findings);
  if (coverage.gaps.length > 0) {
    const missingMs = coverage.gaps.reduce((total, gap) => total + gap.missingMs, 0);
    lines.push(
      `${formatCount(coverage.gaps.length, 'gap')} of ${formatDuration(missingMs)} in all, of which nothing is known`,
    );
  }
  return lines;
}

function kernelLogLines(findings: Findings): string[] {
  const { isKernelLogRead, kernelLogRecordsLost: lost, oomCounts, oomKills } = findings;
  const isCounted = oomCounts.machine !== null || oomCounts.cgroup !== null;
  const isTold = oomKills.some(({ context }) => context === 'telemetry');
  if (!isKernelLogRead && isTold) {
    return ["the kernel log could not be read: the session's telemetry told of the OOM kills"];
  }
  if (!isKernelLogRead) {
    return [
      isCounted
        ? 'the kernel log could not be read: OOM kills are known by the counter alone'
        : 'neither the kernel log nor an OOM counter could be read: a kill would not be known',
    ];
  }
  if (lost === 0) return [];
  const known = isCounted ? 'is known by the counter alone' : 'would not be known';
  return [
    `some records of the kernel log were overwritten (${lost} lost): a kill in them ${known}`,
  ];
}
